import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'
import { SNIPPETS } from '../snippets.ts'

/** Five clients. With scripts they are tabs; without, one below the other. */
export function quickStart({ publicBaseUrl }: DocsDeps): Html {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(publicBaseUrl).hostname)
  return html`<section id="quick-start" aria-labelledby="quick-start-title">
<h2 id="quick-start-title">Quick start</h2>
<p>You need a wallet with USDC on Base and no ether: you only sign, the facilitator pays for the gas. Put its private key into <code>PRIVATE_KEY</code>; it never leaves
your machine.</p>
${
  isLocal
    ? html`<p class="note">This is a local stack with free test USDC. In its checkout:
<code>export PRIVATE_KEY=$(npm run --silent wallet -- new --usdc 25 | node -pe 'JSON.parse(fs.readFileSync(0)).privateKey')</code></p>`
    : ''
}
<div class="tabs" data-tabs>
<div class="tab-list" role="tablist" aria-label="Clients" hidden>${SNIPPETS.map(
    ({ id, name }) => html`<button type="button" role="tab" id="tab-${id}" aria-controls="panel-${id}">${name}</button>`,
  )}</div>
${SNIPPETS.map(
  ({ id, name, install, code, language }) => html`<div class="panel" id="panel-${id}" role="group" aria-label="${name}">
<h3 class="panel-title">${name}</h3>
${
  install === undefined
    ? ''
    : html`<pre tabindex="0" class="install"><code>${install}</code></pre>
`
}<pre tabindex="0" aria-label="${name}"><code data-snippet="${id}" data-language="${language}">${code(publicBaseUrl)}</code></pre>
</div>
`,
)}</div>
<p>Each of them asks for the price, checks it against a limit of its own, signs, and sends the same request again. A retry by the client keeps the key, so it is
never charged again.</p>
</section>`
}
