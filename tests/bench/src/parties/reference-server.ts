import { createServer } from 'node:http'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { Agent, request as call } from 'undici'
import { serveUntilDisconnected } from './serve-until-disconnected.ts'

// The reference: the official middleware as its README wires it, on the route and at the price of ours. It validates nothing, prices
// nothing, keeps nothing; its handler calls the same upstream over pooled connections and answers a constant.

const { PAY_TO = '', FACILITATOR_URL = '', UPSTREAM_URL = '', UPSTREAM_KEY = '' } = process.env
const ROUTE = '/v1/chat/completions'
const PRICE = '$0.002'

const upstream = new Agent({ connections: 256, pipelining: 1 })
const resourceServer = new x402ResourceServer(new HTTPFacilitatorClient({ url: FACILITATOR_URL })).register(
  'eip155:8453',
  new ExactEvmScheme(),
)
const app = express()
app.use(express.json())
app.use(
  paymentMiddleware(
    {
      [`POST ${ROUTE}`]: {
        accepts: { scheme: 'exact', price: PRICE, network: 'eip155:8453', payTo: PAY_TO, maxTimeoutSeconds: 300 },
        description: 'Chat completion in the shape of OpenAI, not streamed. One fixed price per request.',
        mimeType: 'application/json',
      },
    },
    resourceServer,
  ),
)
app.post(ROUTE, async (request, response) => {
  const { messages, max_tokens } = request.body as { messages: { content: string }[]; max_tokens: number }
  const answered = await call(`${UPSTREAM_URL}/v1beta/models/gemini-2.5-flash-lite:generateContent`, {
    method: 'POST',
    dispatcher: upstream,
    headers: { 'content-type': 'application/json', 'x-goog-api-key': UPSTREAM_KEY },
    body: JSON.stringify({
      contents: messages.map(({ content }) => ({ role: 'user', parts: [{ text: content }] })),
      generationConfig: { maxOutputTokens: max_tokens, thinkingConfig: { thinkingBudget: 0 } },
    }),
  })
  await answered.body.json()
  if (answered.statusCode !== 200) {
    response.status(502).json({ error: 'upstream' })
    return
  }
  response.json(COMPLETION)
})

const COMPLETION = {
  id: 'chatcmpl-00000000000000000000000000000000',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'gm-2.5-flash-lite',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'A fixed answer.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
}

await serveUntilDisconnected(createServer(app))
