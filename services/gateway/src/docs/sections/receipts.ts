import type { DocsDeps } from '../docs-deps.ts'
import { type Html, html } from '../html.ts'

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
<pre tabindex="0"><code data-snippet="receipt">// npm install canonicalize@5.1.0
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import canonicalize from 'canonicalize'

const { signature, ...receipt } = JSON.parse(readFileSync('receipt.json', 'utf8'))
const { keys } = JSON.parse(readFileSync('jwks.json', 'utf8'))
const [header, , mac] = signature.split('.')
const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
const key = createPublicKey({ key: keys.find((each) =&gt; each.kid === kid), format: 'jwk' })
const signed = header + '.' + Buffer.from(canonicalize(receipt)).toString('base64url')

console.log(verify(null, Buffer.from(signed), key, Buffer.from(mac, 'base64url')) ? 'signed by the issuer' : 'NOT GENUINE')</code></pre>
<p>A signature proves who says so. That the money moved, the chain says: look up <code>payment.transaction</code> on Base.</p>
</section>`
}
