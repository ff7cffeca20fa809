import { type Call, type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'

export const UPSTREAM_KEY = 'key-of-this-test'
export const TARGET = 'scribe_v2'

export type TestUpstream = Pick<Sandbox, 'elevenlabsUrl' | 'close'> & {
  /** For every call, or for those with this text in their body. */
  fault(fault: Omit<Fault, 'upstream'>): Promise<void>
  noFaults(): Promise<void>
  calls(): Promise<Call[]>
  forgetCalls(): Promise<void>
}

export async function startTestUpstream(): Promise<TestUpstream> {
  const sandbox = await startSandbox({ elevenlabsApiKey: UPSTREAM_KEY })
  const admin = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${sandbox.adminUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return await response.json()
  }
  return {
    elevenlabsUrl: sandbox.elevenlabsUrl,
    close: sandbox.close,
    fault: async (fault) => void (await admin('PUT', '/faults', [{ upstream: 'elevenlabs', ...fault }])),
    noFaults: async () => void (await admin('DELETE', '/faults')),
    calls: async () => ((await admin('GET', '/calls?since=0')) as { calls: Call[] }).calls,
    forgetCalls: async () => void (await admin('DELETE', '/calls')),
  }
}
