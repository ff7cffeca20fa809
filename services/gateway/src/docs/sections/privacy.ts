import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'

type Row = readonly [what: string, where: string, howLong: string]

const ROWS: readonly Row[] = [
  [
    'The request: prompt, images, options',
    'the queue and, when it is large, the object store; encrypted',
    'deleted from the store when the model has answered, at the latest after a day; out of the queue after some seven hours',
  ],
  [
    'The answer',
    'the database and, when it is large, the object store; encrypted',
    '7 days, so that a retry gets it again; then deleted',
  ],
  [
    'A generated image',
    'the object store; encrypted; behind an address that cannot be guessed',
    '7 days, deleted within an hour after',
  ],
  ['Generated speech', 'the same', '24 hours, deleted within an hour after'],
  ['Idempotency key', 'as a SHA-256 hash only', 'an hour when unpaid; for ever once paid, so that it is never charged again'],
  ['Payment: wallet, amount, nonce, transaction', 'the database, and the public chain', 'for ever'],
  ['Receipt: price, usage, hashes of request and answer', 'the database', 'for ever; it holds no content'],
  ['Your network address', 'in memory, to count requests', 'about a minute'],
]
const UPLOADED: Row = [
  'Audio to transcribe',
  'the object store; encrypted',
  'deleted after every definite answer of the provider; after an unclear one it cannot be read any more after an hour and is cleared away later',
]

/** What is stored, where and for how long. The numbers are those of the ledger's sweeps and of the topics' retention. */
export function privacySection({ endpoints }: DocsDeps): Html {
  const transcribes = endpoints.some(({ path }) => path === '/v1/audio/transcriptions')
  const rows = transcribes ? [...ROWS.slice(0, 4), UPLOADED, ...ROWS.slice(4)] : ROWS
  return html`<section id="privacy" aria-labelledby="privacy-title">
<h2 id="privacy-title">Privacy</h2>
<p>There are no accounts, cookies or trackers. An unpaid request is priced in memory; nothing of its content is stored.</p>
<div class="scroll" role="region" aria-labelledby="privacy-title" tabindex="0"><table class="wide">
<thead><tr><th scope="col">What</th><th scope="col">Where</th><th scope="col">How long</th></tr></thead>
<tbody>${rows.map(([what, where, howLong]) => html`<tr><th scope="row">${what}</th><td>${where}</td><td>${howLong}</td></tr>`)}</tbody></table></div>
<ul>
<li>Content is encrypted with AES-256-GCM under a key of the operator, and bound to its own request.</li>
<li>Logs hold request ids, never a prompt, an answer, a key, a signature or a token.</li>
<li>The address of a hosted file is the key to it, like a password. Keep it out of logs and public messages.</li>
<li>The model’s provider receives the content of your request and treats it by its own terms.${
    transcribes
      ? html` The speech provider keeps audio and transcript in its standard retained mode; deletion here does not delete its copy. <b>Do not submit
sensitive or regulated audio.</b>`
      : ''
  }</li>
</ul>
</section>`
}
