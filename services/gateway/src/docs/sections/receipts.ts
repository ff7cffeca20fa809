import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'
import { CHECK_RECEIPT } from '../snippets.ts'

export function receiptsSection({ publicBaseUrl }: DocsDeps): Html {
  return html`<section id="receipts" aria-labelledby="receipts-title">
<h2 id="receipts-title">Receipts</h2>
<p>Every paid answer has one, made in the same transaction that made the answer yours, and never changed. Its token comes only with the answer: keep both.</p>
<pre tabindex="0"><code>curl -s ${publicBaseUrl}/v1/receipts/$X_RECEIPT_ID \\
  -H "Authorization: Bearer $X_RECEIPT_TOKEN" &gt; receipt.json</code></pre>
<p>It says what was bought and when, the price and what it was computed from, payer, recipient and transaction, the usage that the provider reported, and the SHA-256
of the effective request (<code>request_sha256</code>) and of the bytes of the answer (<code>response_sha256</code>).</p>
<h3 id="check-a-receipt">Check one offline</h3>
<p><code>signature</code> is a detached JWS (EdDSA, Ed25519) over the <a href="https://www.rfc-editor.org/rfc/rfc8785" rel="noreferrer">RFC 8785</a> form of the
receipt without <code>signature</code>. The keys are at <a href="/.well-known/jwks.json"><code>/.well-known/jwks.json</code></a>; fetch them once, then no network is
needed.</p>
<pre tabindex="0"><code data-snippet="receipt">${CHECK_RECEIPT}</code></pre>
<p>A signature proves who says so. That the money moved, the chain says: look up <code>payment.transaction</code> on Base.</p>
</section>`
}
