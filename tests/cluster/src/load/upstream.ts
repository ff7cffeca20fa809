import type { Fault } from '@turnpike/testing'

/** The sandbox, which answers every call after a moment and counts it. */
export type Upstream = {
  /** Text answers take that long, everything else as usual. */
  slowText(ms: number): Promise<void>
  answerAsUsual(): Promise<void>
  /** What every call since this was opened was asked. */
  texts(): Promise<string[]>
}

const USUAL_MS = 350
const USUAL: readonly Fault[] = [
  { upstream: 'gemini', kind: 'latency', ms: USUAL_MS },
  { upstream: 'elevenlabs', kind: 'latency', ms: USUAL_MS },
]

export async function openUpstream(adminUrl: string): Promise<Upstream> {
  const calls = async (since: number) => {
    const response = await fetch(`${adminUrl}/calls?since=${since}`)
    return ((await response.json()) as { calls: { n: number; text: string }[] }).calls
  }
  const first = Math.max(0, ...(await calls(0)).map(({ n }) => n))
  const behave = async (faults: readonly Fault[]) => {
    const response = await fetch(`${adminUrl}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    })
    if (!response.ok) throw new Error(`the sandbox refused: ${await response.text()}`)
  }
  await behave(USUAL)
  return {
    slowText: (ms) => behave([{ upstream: 'gemini', match: { bodyIncludes: 'Say ' }, kind: 'latency', ms }, ...USUAL]),
    answerAsUsual: () => behave(USUAL),
    texts: async () => (await calls(first)).map(({ text }) => text),
  }
}
