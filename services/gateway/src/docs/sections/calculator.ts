import { IMAGE_MODELS, SPEECH_MODELS, TEXT_MODELS, TRANSCRIPTION_MODELS } from '@turnpike/contracts'
import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'

const KINDS = [
  { path: '/v1/chat/completions', label: 'Chat', models: TEXT_MODELS, fields: 'text tokens' },
  { path: '/v1/messages', label: 'Messages', models: TEXT_MODELS, fields: 'text tokens' },
  { path: '/v1/images/generations', label: 'Image', models: IMAGE_MODELS, fields: 'text' },
  { path: '/v1/audio/speech', label: 'Speech', models: SPEECH_MODELS, fields: 'text' },
  { path: '/v1/audio/transcriptions', label: 'Transcription', models: TRANSCRIPTION_MODELS, fields: 'seconds' },
]

/** The live calculator. It needs scripts; without them the form is not shown. */
export function calculator({ catalog, endpoints }: DocsDeps): Html {
  const kinds = KINDS.filter(({ path }) => endpoints.some((endpoint) => endpoint.path === path))
  const models = (list: readonly string[]) => list.filter((model) => catalog.offers(model)).join(' ')
  return html`<form id="calculator" class="card" aria-labelledby="calculator-title" hidden>
<h3 id="calculator-title">What would it cost?</h3>
<div class="fields">
<label>What <select name="endpoint">${kinds.map(
    ({ path, label, models: list, fields }) =>
      html`<option value="${path}" data-models="${models(list)}" data-fields="${fields}">${label}</option>`,
  )}</select></label>
<label>Model <select name="model"></select></label>
<label data-field="tokens">max_tokens <input name="max_tokens" type="number" inputmode="numeric" min="1" max="65536" value="512"></label>
<label data-field="seconds">Seconds of audio <input name="seconds" type="number" inputmode="numeric" min="1" max="3510" value="60"></label>
</div>
<label data-field="text">Text <textarea name="text" rows="4" spellcheck="false">What is a turnpike? Answer in one sentence.</textarea></label>
<p class="note">Your text goes to <code>POST /v1/quote</code> of this server, reaches no model and is not stored.</p>
<button type="submit">Get the price</button>
<output id="price" aria-live="polite"></output>
</form>
<noscript><p>The calculator needs JavaScript. <code>POST /v1/quote</code> does the same.</p></noscript>`
}
