import { type Html, html } from '../html.ts'
import { payingPicture } from './paying-picture.ts'

export function introduction(): Html {
  return html`<section id="what" aria-labelledby="what-title">
<h1 id="what-title">AI model calls, sold one at a time</h1>
<p class="lead">Send a request, see its exact price, sign it with any wallet, get the answer and a receipt. No account, no API key, no subscription.</p>
<ul class="promises">
<li><b>The price comes first.</b> The amount you sign is the amount you pay. An unpaid request costs nothing and calls no model.</li>
<li><b>Never paid twice.</b> One idempotency key is settled at most once, whatever breaks and however often you retry.</li>
<li><b>Never paid for nothing.</b> You are charged for an answer that is stored. For seven days it can be collected again.</li>
</ul>
</section>
<section id="paying" aria-labelledby="paying-title">
<h2 id="paying-title">How paying works</h2>
<div class="beside">
${payingPicture()}
<div>
<p>Payment is <a href="https://www.x402.org" rel="noreferrer">x402</a> version 2, scheme <code>exact</code>: USDC on Base (<code>eip155:8453</code>).</p>
<ol>
<li>You POST a request with a fresh <code>x-idempotency-key</code>.</li>
<li>The answer is a 402. Its <code>PAYMENT-REQUIRED</code> header holds the exact price, in Base64.</li>
<li>Your client checks it, signs it on your machine, and sends the <em>same</em> request with the <em>same</em> key and <code>PAYMENT-SIGNATURE</code>.</li>
<li>One call to the model.</li>
<li>The payment is settled on the chain; result, payment and receipt are stored together.</li>
<li>You get the answer with <code>X-Receipt-ID</code>, <code>X-Receipt-Token</code> and <code>PAYMENT-RESPONSE</code>.</li>
</ol>
<p>After a lost connection, send it again under the same key: the stored answer comes back and nothing is charged.</p>
</div>
</div>
<h3 id="check-before-signing">What to check before signing</h3>
<p>Network <code>eip155:8453</code>; asset <code>0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913</code> (USDC); the recipient <code>payTo</code>; the scheme; the time-out;
the EIP-712 domain (<code>USD Coin</code>, version <code>2</code>); and the amount, against a limit of your own. A challenge with
<code>X-Service-Challenge-Kind: inspection</code> answers an incomplete body. It is there to be looked at and must not be signed.</p>
<h3 id="keys">Idempotency keys are secrets</h3>
<p>Use one fresh random value per request, such as a UUID, and keep it over the unpaid request, the signed one and every retry. Two clients that choose
the same weak key collide: the second gets a 409. Another body under the same key is a 409 too. A key whose result has expired is never charged again.</p>
</section>`
}
