import { EXAMPLES, formatUsdc, type PaidEndpoint } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from '../../endpoints/paid-endpoint.ts'
import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html, withCode } from '../html.ts'

type Field = readonly [name: string, rule: string]
type About = { operation: string; title: string; fields: readonly Field[]; answer: string }

const TEXT_FIELDS: readonly Field[] = [
  ['model', 'one of the text models'],
  ['messages', 'at least one, text and images'],
  ['max_tokens', 'the ceiling of the answer, 1 to 65,536; the price is for all of it'],
  ['tools', 'functions that the model may call'],
]
const ABOUT: Record<PaidEndpoint, About> = {
  '/v1/chat/completions': {
    operation: 'Text/createChatCompletion',
    title: 'Chat completions',
    fields: [...TEXT_FIELDS, ['response_format', 'JSON, or JSON by a schema'], ['stream', 'only `false`']],
    answer: 'OpenAI’s `chat.completion`: the text is at `choices[0].message.content`.',
  },
  '/v1/messages': {
    operation: 'Text/createMessage',
    title: 'Messages',
    fields: [...TEXT_FIELDS, ['system', 'instructions, text'], ['stream', 'only `false`']],
    answer: 'Anthropic’s `message`: the text is at `content[0].text`.',
  },
  '/v1/images/generations': {
    operation: 'Media/createImage',
    title: 'Images',
    fields: [
      ['model', '`gm-3.1-flash-lite-image`'],
      ['prompt', '1 to 4,000 characters'],
      ['image_size, aspect_ratio', '`1K`, `1:1`'],
      ['response_format', '`url` or `b64_json`'],
    ],
    answer: 'One image at `data[0].url`. Whoever has the address has the file; it is kept for seven days, then deleted.',
  },
  '/v1/audio/speech': {
    operation: 'Media/createSpeech',
    title: 'Speech',
    fields: [
      ['model', '`el/flash-v2.5`'],
      ['input', '1 to 2,000 characters (code points)'],
      ['voice', 'one of twenty: `GET /v1/audio/voices`'],
      ['speed', '0.7 to 1.2'],
    ],
    answer: 'One MP3 at `data[0].url`. Whoever has the address has the file; it is kept for 24 hours, then deleted.',
  },
  '/v1/audio/transcriptions': {
    operation: 'Media/createTranscription',
    title: 'Transcriptions',
    fields: [
      ['model', '`el/scribe-v2`'],
      ['audio_base64 or file', 'one complete MP3, up to 26,214,400 bytes and 58.5 minutes'],
      ['language', 'ISO 639-1 or 639-3, if you know it'],
      ['diarize, timestamps', 'who speaks, and when'],
    ],
    answer:
      'The transcript at `text`. The speech provider keeps audio and transcript; do not submit sensitive or regulated audio.',
  },
}

const FREE: readonly (readonly [string, string])[] = [
  ['GET /v1/models', 'what is on offer now, with its limits'],
  ['GET /v1/pricing', 'every rate, and the rule of the input-token estimate'],
  ['GET /v1/audio/voices', 'the voices for speech'],
  ['GET /v1/balance?address=0x…', 'what a wallet holds, from the chain'],
  ['POST /v1/quote', 'the price of a request, line by line; binds and charges nothing'],
  ['GET /v1/receipts/{id}', 'a receipt, for the bearer of its token'],
  ['GET /v1/media/{capability}', 'a hosted file, for whoever has its address'],
  ['GET /.well-known/x402', 'the paid resources and how to pay for them'],
  ['GET /openapi.json', 'OpenAPI 3.1: every route, header, status and schema'],
  ['GET /llms.txt', 'the same in short, for agents'],
]

/** The paid endpoints on offer, each with its reference, and the free ones. */
export function endpointsSection({ endpoints }: DocsDeps): Html {
  return html`<section id="endpoints" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
<p>Paid endpoints take a POST with <code>x-idempotency-key</code>. Nothing is streamed, and no field is ignored: what would change the answer and is not
supported is a 400. The <a href="/docs/reference">full reference</a> lists every field, header, status and example.</p>
${endpoints.map(paid)}
<h3 id="free">Free of charge</h3>
<div class="scroll" role="region" aria-labelledby="free" tabindex="0"><table><tbody>${FREE.map(
    ([route, what]) => html`<tr><th scope="row"><code>${route}</code></th><td>${what}</td></tr>`,
  )}</tbody></table></div>
<p>Every origin may call all of this from a page: CORS is open, and payment headers are exposed.</p>
</section>`
}

function paid({ path, minimumPriceAtomic, maximumPriceAtomic }: PaidEndpointDefinition): Html {
  const { operation, title, fields, answer } = ABOUT[path]
  const [least, most] = [formatUsdc(minimumPriceAtomic()), formatUsdc(maximumPriceAtomic())]
  const example = JSON.stringify(EXAMPLES[path].request, undefined, 2)
  const id = path.slice('/v1/'.length).replace('/', '-')
  return html`<article class="endpoint" aria-labelledby="${id}">
<h3 id="${id}">${title} <code>POST ${path}</code></h3>
<p><span class="tag">${least === most ? `${least} USDC` : `from ${least} USDC`}</span> <a href="/docs/reference#/${operation}">Reference<span class="unseen"> of ${title}</span></a></p>
<dl>${fields.map(([name, rule]) => html`<div><dt><code>${name}</code></dt><dd>${withCode(rule)}</dd></div>`)}</dl>
<p>${withCode(answer)}</p>
<details><summary>Example<span class="unseen"> of ${title}</span></summary><pre tabindex="0"><code>${example.length > 1_200 ? `${example.slice(0, 1_200)}…` : example}</code></pre></details>
</article>
`
}
