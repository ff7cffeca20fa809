import { get as getPlain } from 'node:http'
import { get as getOverTls } from 'node:https'

const timeoutMs = 3_000

/** Whether it answers with 200 to 299; rejects while nobody answers. `ca` is the authority that an https address is signed by. */
export async function isOk(url: string, ca?: string): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = url.startsWith('https:')
      ? getOverTls(url, { ca, signal, agent: false })
      : getPlain(url, { signal, agent: false })
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300)
    })
  })
}
