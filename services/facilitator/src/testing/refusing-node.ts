import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Call {
  jsonrpc: '2.0'
  id: number
  method: string
  params: unknown[]
}

/** In front of a real node: answers the calls that `refuse` has words for with an error of these words, and passes on the others. */
export interface RefusingNode {
  url: string
  refuse: (call: Call) => string | undefined
  /** Calls by method, as they came. */
  calls: string[]
  /** While it is set, calls are held back until it resolves. */
  hold: Promise<unknown> | undefined
  close(): void
}

export async function openRefusingNode(upstreamUrl: string): Promise<RefusingNode> {
  const server = createServer(async (request, response) => {
    const body: Call | Call[] = JSON.parse(await textOf(request))
    node.calls.push(...[body].flat().map(({ method }) => method))
    await node.hold
    const answers = await Promise.all([body].flat().map(answer))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const node: RefusingNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: () => undefined,
    calls: [],
    hold: undefined,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return node

  async function answer(call: Call): Promise<unknown> {
    const message = node.refuse(call)
    if (message !== undefined) return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message } }
    const headers = { 'content-type': 'application/json' }
    return (await fetch(upstreamUrl, { method: 'POST', headers, body: JSON.stringify(call) })).json()
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
