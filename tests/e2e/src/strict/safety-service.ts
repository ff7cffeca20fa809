import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Behaviour = 'refuse' | 'hang' | 'reset' | 'no JSON' | 'a 500 that allows' | 'allowed as text' | 'nothing about it'
export type Asked = { path: string; question: Record<string, unknown> }

export type SafetyService = {
  screeningUrl: string
  moderationUrl: string
  /** How it answers questions with that text in them; all others are allowed. */
  when(textInQuestion: string, behaviour: Behaviour | undefined): void
  asked(textInQuestion: string): Asked[]
  close(): void
}

/** An operator's own service for payers and prompts, which can be as bad as such services get. */
export async function openSafetyService(): Promise<SafetyService> {
  const behaviours = new Map<string, Behaviour>()
  const asked: (Asked & { text: string })[] = []
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      asked.push({ path: request.url ?? '', question: JSON.parse(text) as Record<string, unknown>, text })
      const found = [...behaviours].find(([part]) => text.includes(part))
      answer(response, found?.[1])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    screeningUrl: `${base}/screening`,
    moderationUrl: `${base}/moderation`,
    when(text, behaviour) {
      if (behaviour === undefined) behaviours.delete(text)
      else behaviours.set(text, behaviour)
    },
    asked: (text) => asked.filter((one) => one.text.includes(text)).map(({ path, question }) => ({ path, question })),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(response: ServerResponse, behaviour: Behaviour | undefined): void {
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  switch (behaviour) {
    case undefined:
      return void json(200, { allowed: true })
    case 'refuse':
      return void json(200, { allowed: false })
    case 'hang':
      return
    case 'reset':
      return void response.socket?.resetAndDestroy()
    case 'no JSON':
      return void response.writeHead(200).end('<html>allowed: true</html>')
    case 'a 500 that allows':
      return void json(500, { allowed: true })
    case 'allowed as text':
      return void json(200, { allowed: 'true' })
    case 'nothing about it':
      return void json(200, null)
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
