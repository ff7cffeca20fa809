import type { Call } from './call-log.ts'
import type { Fault } from './fault-list.ts'
import type { Sandbox } from './start-sandbox.ts'

/** The admin surface from a test's side. */
export function adminClient(sandbox: Pick<Sandbox, 'adminUrl'>) {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${sandbox.adminUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return {
    send,
    async calls(since = 0): Promise<Call[]> {
      const { calls } = (await (await send('GET', `/calls?since=${since}`)).json()) as { calls: Call[] }
      return calls
    },
    async setFaults(faults: Fault[]): Promise<void> {
      const response = await send('PUT', '/faults', faults)
      if (response.status !== 200) throw new Error(await response.text())
    },
    async faults(): Promise<Fault[]> {
      const { faults } = (await (await send('GET', '/faults')).json()) as { faults: Fault[] }
      return faults
    },
  }
}
