import { createServer } from 'node:http'
import { serveUntilDisconnected } from './serve-until-disconnected.ts'

// An upstream that takes its time and nothing else: every call is answered with the same completion after LATENCY_MS.

const LATENCY_MS = Number(process.env.LATENCY_MS)
const ANSWER = Buffer.from(
  JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text: 'A fixed answer.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, totalTokenCount: 16 },
  }),
)
const HEAD = { 'content-type': 'application/json', 'content-length': ANSWER.length }

let inFlight = 0

const server = createServer((request, response) => {
  inFlight += 1
  response.once('close', () => {
    inFlight -= 1
  })
  request.resume()
  request.once('end', () => {
    setTimeout(() => response.writeHead(200, HEAD).end(ANSWER), LATENCY_MS)
  })
})
process.on('message', () => process.send?.({ inFlight }))
await serveUntilDisconnected(server)
