import { prices, type TextRates } from '@turnpike/catalog'
import { IMAGE_MODELS, SPEECH_MODELS, TEXT_MODELS, type TextModel, TRANSCRIPTION_MODELS } from '@turnpike/contracts'
import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'
import { calculator } from './calculator.ts'

/** What everything costs, and a form that asks POST /v1/quote. */
export function pricesSection(deps: DocsDeps): Html {
  const { offers, version } = deps.catalog
  const texts = TEXT_MODELS.filter(offers)
  return html`<section id="prices" aria-labelledby="prices-title">
<h2 id="prices-title">Prices</h2>
<p>In USD, paid in USDC, one for one. ${feeSentence()} A price is computed exactly and rounded up once, to a millionth of a dollar. Catalog
<code>${version}</code>; the same as data: <a href="/v1/pricing"><code>/v1/pricing</code></a>.</p>
${calculator(deps)}
${
  texts.length === 0
    ? ''
    : html`<h3 id="text-prices">Text</h3>
<div class="scroll" role="region" aria-labelledby="text-prices" tabindex="0"><table>
<thead><tr><th scope="col">Model</th><th scope="col" class="number">Input, per million tokens</th><th scope="col" class="number">Output, per million tokens</th></tr></thead>
<tbody>${texts.map(textRow)}</tbody></table></div>
<p>Estimated input tokens × input rate + <code>max_tokens</code> × output rate, at least ${prices().minimumUsd}. The price is for the whole ceiling: a shorter
answer is not refunded, so set <code>max_tokens</code> to what you need. The estimate follows a published rule that you can compute yourself
(<code>input_token_estimate</code> in <code>/v1/pricing</code>).</p>`
}
${mediaPrices(offers)}
</section>`
}

function textRow(model: TextModel): Html {
  const { input, output, tier }: TextRates = prices().text[model]
  const above =
    tier === undefined ? '' : html`<br><small>${tier.input} above ${tier.aboveInputTokens.toLocaleString('en')} tokens</small>`
  const aboveOut = tier === undefined ? '' : html`<br><small>${tier.output} above</small>`
  return html`<tr><th scope="row"><code>${model}</code></th><td class="number">${input}${above}</td><td class="number">${output}${aboveOut}</td></tr>`
}

function mediaPrices(offers: (model: string) => boolean): Html | string {
  const rows: [string, string][] = []
  if (IMAGE_MODELS.some(offers)) rows.push(['One image', `${prices().imageUsd}, only if there is one`])
  if (SPEECH_MODELS.some(offers))
    rows.push(['Speech', `${prices().speechPerThousandCharactersUsd} per thousand characters, at least ${prices().minimumUsd}`])
  if (TRANSCRIPTION_MODELS.some(offers))
    rows.push([
      'Transcription',
      `${prices().transcriptionBaseUsd} + ${prices().transcriptionPerAudioHourUsd} per hour of audio, by the second begun`,
    ])
  if (rows.length === 0) return ''
  return html`<h3 id="media-prices">Images and audio</h3>
<div class="scroll" role="region" aria-labelledby="media-prices" tabindex="0"><table><tbody>${rows.map(
    ([what, price]) => html`<tr><th scope="row">${what}</th><td>${price}</td></tr>`,
  )}</tbody></table></div>`
}

function feeSentence(): string {
  const { serviceFeeBasisPoints } = prices()
  return serviceFeeBasisPoints === 0
    ? 'There is no service fee.'
    : `A service fee of ${serviceFeeBasisPoints / 100} % is in every price, on top of the rates below.`
}
