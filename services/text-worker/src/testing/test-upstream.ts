import { type Call, type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'

export const UPSTREAM_KEY = 'key-of-this-test'

export type TestUpstream = Pick<Sandbox, 'geminiUrl' | 'close'> & {
  fault(fault: Omit<Fault, 'upstream'>): Promise<void>
  noFaults(): Promise<void>
  /** The calls whose last user text is this one. */
  callsWith(text: string): Promise<Call[]>
}

export async function startTestUpstream(): Promise<TestUpstream> {
  const sandbox = await startSandbox({ geminiApiKey: UPSTREAM_KEY })
  const admin = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${sandbox.adminUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return await response.json()
  }
  return {
    geminiUrl: sandbox.geminiUrl,
    close: sandbox.close,
    async fault(fault) {
      await admin('PUT', '/faults', [{ upstream: 'gemini', ...fault }])
    },
    async noFaults() {
      await admin('DELETE', '/faults')
    },
    async callsWith(text) {
      const { calls } = (await admin('GET', '/calls?since=0')) as { calls: Call[] }
      return calls.filter((call) => call.text === text.slice(0, 2_000))
    },
  }
}
