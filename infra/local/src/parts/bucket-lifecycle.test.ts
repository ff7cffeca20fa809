import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { makeBucket } from './s3.ts'
import { startPart } from './start-part.ts'

describe('the bucket', () => {
  it('of a store without lifecycle rules is made all the same, and whoever watches is told', async () => {
    using folder = scratchFolder()
    const part = await startPart('s3', { dir: folder.path })
    const said: string[] = []
    await makeBucket(part, (line) => said.push(line))
    expect(said).toEqual(['has no lifecycle rules; the ledger sweeps it'])
    await part.stop()
  })

  it.each([
    ['none', undefined],
    ['some of yours and an older one of ours', ['yours', 'turnpike-requests']],
  ])('of a store with lifecycle rules gets ours beside those that are there: %s', async (_what, there) => {
    const { address, put } = await storeWithRules(there)
    const said: string[] = []
    await makeBucket(address, (line) => said.push(line))
    expect(said).toEqual([])
    const [body] = put
    const ids = [...(body ?? '').matchAll(/<ID>(.*?)<\/ID>/g)].map(([, id]) => id)
    const ours = ['turnpike-requests', 'turnpike-staging', 'turnpike-results', 'turnpike-media-images', 'turnpike-media-speech']
    expect(ids).toEqual([...(there === undefined ? [] : ['yours']), ...ours])
    const prefixes = [...(body ?? '').matchAll(/<Prefix>(.*?)<\/Prefix>/g)].map(([, prefix]) => prefix)
    expect(prefixes.slice(-5)).toEqual(['requests/', 'staging/', 'results/', 'media/image/', 'media/speech/'])
    expect([...(body ?? '').matchAll(/<Days>(\d+)<\/Days>/g)].map(([, days]) => days).slice(-5)).toEqual([
      '1',
      '1',
      '9',
      '8',
      '2',
    ])
  })

  it('is not taken for made when the store fails', async () => {
    const { address } = await storeWithRules(undefined, 'InternalError')
    await expect(makeBucket(address, () => {})).rejects.toThrow()
  })
})

/** The wire of a store that has lifecycle rules; the one that the stack starts has none. */
async function storeWithRules(ids: string[] | undefined, fault?: string) {
  const put: string[] = []
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const isLifecycle = request.url?.includes('lifecycle') === true
    const fail = (status: number, code: string) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    if (isLifecycle && fault !== undefined) return fail(400, fault)
    if (isLifecycle && request.method === 'PUT') put.push(body)
    if (isLifecycle && request.method === 'GET') {
      if (ids === undefined) return fail(404, 'NoSuchLifecycleConfiguration')
      const rules = ids.map((id) => `<Rule><ID>${id}</ID><Status>Enabled</Status><Filter><Prefix>x/</Prefix></Filter></Rule>`)
      return response.end(`<LifecycleConfiguration>${rules.join('')}</LifecycleConfiguration>`)
    }
    return response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { put, address: { endpoint, region: 'us-east-1', bucket: 'yours', accessKeyId: 'id', secretAccessKey: 'key' } }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
