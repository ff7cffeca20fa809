import { type Call, type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'

export const UPSTREAM_KEY = 'key-of-this-test'
export const VOICE_ID = 'JBFqnCBsd6RMkjVDRZzb'
export const IMAGE_TARGET = 'gemini-3.1-flash-lite-image'
export const SPEECH_TARGET = 'eleven_flash_v2_5'

export type TestUpstream = Pick<Sandbox, 'geminiUrl' | 'elevenlabsUrl' | 'close'> & {
  /** For calls of both vendors. */
  fault(...faults: Omit<Fault, 'upstream'>[]): Promise<void>
  noFaults(): Promise<void>
  /** The calls with this text. */
  callsWith(text: string): Promise<Call[]>
}

export async function startTestUpstream(): Promise<TestUpstream> {
  const sandbox = await startSandbox({ geminiApiKey: UPSTREAM_KEY, elevenlabsApiKey: UPSTREAM_KEY })
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
    elevenlabsUrl: sandbox.elevenlabsUrl,
    close: sandbox.close,
    async fault(...faults) {
      const vendors = ['gemini', 'elevenlabs'] as const
      await admin(
        'PUT',
        '/faults',
        vendors.flatMap((upstream) => faults.map((fault) => ({ upstream, ...fault }))),
      )
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
