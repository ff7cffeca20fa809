export type Snippet = {
  id: string
  name: string
  language: 'sh' | 'js' | 'python'
  install?: string
  code(baseUrl: string): string
}

const NODE = 'npm install @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.57.1'

/** The part that pays, the same for every client that takes a fetch. */
const PAYING_FETCH = `import { randomUUID } from 'node:crypto'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const payer = new x402Client()
  .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(process.env.PRIVATE_KEY)))
  .setSpendControls({ maxAmountPerPayment: '$0.10' }) // signs nothing above
const payingFetch = wrapFetchWithPayment(fetch, payer)
`

/** What a reader pastes. A test runs those for Node and for curl as they stand here. */
export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'curl',
    name: 'curl',
    language: 'sh',
    code: (base) => `# curl cannot sign. It shows the price, and everything that is free.
curl -i ${base}/v1/chat/completions \\
  -H 'content-type: application/json' \\
  -H "x-idempotency-key: $(openssl rand -hex 16)" \\
  -d '{"model": "gm-2.5-flash", "max_tokens": 200,
       "messages": [{"role": "user", "content": "What is a turnpike?"}]}'
# HTTP/1.1 402 Payment Required, PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mi…

curl -s ${base}/v1/quote \\
  -H 'content-type: application/json' \\
  -d '{"endpoint": "/v1/images/generations",
       "request": {"model": "gm-3.1-flash-lite-image", "prompt": "A toll gate at dawn"}}'
`,
  },
  {
    id: 'typescript',
    name: 'TypeScript',
    language: 'js',
    install: NODE,
    code: (base) => `${PAYING_FETCH}
const response = await payingFetch('${base}/v1/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-idempotency-key': randomUUID() },
  body: JSON.stringify({
    model: 'gm-2.5-flash',
    messages: [{ role: 'user', content: 'What is a turnpike?' }],
    max_tokens: 200,
  }),
})
const answer = await response.json()
console.log(answer.choices[0].message.content)
console.log('receipt', response.headers.get('x-receipt-id'), response.headers.get('x-receipt-token'))
`,
  },
  {
    id: 'python',
    name: 'Python',
    language: 'python',
    install: 'pip install "x402[evm,requests]==2.25.0"',
    code: (base) => `import os
import uuid

from eth_account import Account
from x402 import max_amount, x402ClientSync
from x402.http.clients.requests import x402_requests
from x402.mechanisms.evm.exact import ExactEvmScheme

payer = x402ClientSync()
payer.register("eip155:8453", ExactEvmScheme(Account.from_key(os.environ["PRIVATE_KEY"])))
payer.register_policy(max_amount(100_000))  # signs nothing above 0.10 USDC

response = x402_requests(payer).post(
    "${base}/v1/chat/completions",
    headers={"x-idempotency-key": str(uuid.uuid4())},
    json={
        "model": "gm-2.5-flash",
        "messages": [{"role": "user", "content": "What is a turnpike?"}],
        "max_tokens": 200,
    },
)
print(response.json()["choices"][0]["message"]["content"])
print("receipt", response.headers["X-Receipt-ID"], response.headers["X-Receipt-Token"])
`,
  },
  {
    id: 'openai',
    name: 'OpenAI SDK',
    language: 'js',
    install: `${NODE} openai`,
    code: (base) => `import OpenAI from 'openai'
${PAYING_FETCH}
const openai = new OpenAI({ baseURL: '${base}/v1', apiKey: 'none needed', fetch: payingFetch })

const { data, response } = await openai.chat.completions
  .create(
    { model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'What is a turnpike?' }], max_tokens: 200 },
    { headers: { 'x-idempotency-key': randomUUID() } }, // one per request, kept by the SDK over its retries
  )
  .withResponse()
console.log(data.choices[0].message.content)
console.log('receipt', response.headers.get('x-receipt-id'))
`,
  },
  {
    id: 'anthropic',
    name: 'Anthropic SDK',
    language: 'js',
    install: `${NODE} @anthropic-ai/sdk`,
    code: (base) => `import Anthropic from '@anthropic-ai/sdk'
${PAYING_FETCH}
const anthropic = new Anthropic({ baseURL: '${base}', apiKey: 'none needed', fetch: payingFetch })

const { data, response } = await anthropic.messages
  .create(
    { model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'What is a turnpike?' }], max_tokens: 200 },
    { headers: { 'x-idempotency-key': randomUUID() } }, // one per request, kept by the SDK over its retries
  )
  .withResponse()
console.log(data.content[0].text)
console.log('receipt', response.headers.get('x-receipt-id'))
`,
  },
]
