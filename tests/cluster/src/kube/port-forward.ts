import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A port of a pod or Service on a local address (host:port), past any network policy, as an operator reaches it. It lives as long as that pod. */
export async function forwardPort(
  namespace: string,
  to: string,
  port: number,
): Promise<{ address: string; close(): Promise<void> }> {
  const args = ['--namespace', namespace, 'port-forward', to, `:${port}`]
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const closed = once(child, 'close')
  const address = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const local = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (local !== undefined) resolve(`127.0.0.1:${local}`)
    })
    child.on('error', reject)
    void closed.then(() => reject(new Error(`kubectl port-forward ${to}: ${complaint.trim()}`)))
  })
  return {
    address,
    async close() {
      child.kill('SIGTERM')
      await closed
    },
  }
}
