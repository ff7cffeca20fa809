import type { Stack } from '@turnpike/local'

export type SandboxCall = {
  n: number
  at: string
  upstream: string
  path: string
  model: string | null
  text: string
  bodySha256: string
  outcome: string
}
export type Fault = {
  upstream: 'gemini' | 'elevenlabs'
  match?: { pathIncludes?: string; bodyIncludes?: string }
  kind: string
  times?: number
  ms?: number
}

/** The calls that reached the upstream with this text in them. */
export async function callsWith(stack: Stack, text: string): Promise<SandboxCall[]> {
  const response = await fetch(`${adminUrl(stack)}/calls?since=0`)
  const { calls } = (await response.json()) as { calls: SandboxCall[] }
  return calls.filter((call) => call.text.includes(text))
}

export async function setFaults(stack: Stack, faults: Fault[]): Promise<void> {
  const response = await fetch(`${adminUrl(stack)}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
  if (!response.ok) throw new Error(`sandbox refused the faults: ${await response.text()}`)
}

/** A `latency` that lasts until the faults are cleared: longer than anything that a test does meanwhile. */
export const HELD_MS = 600_000

export async function clearFaults(stack: Stack): Promise<void> {
  await fetch(`${adminUrl(stack)}/faults`, { method: 'DELETE' })
}

function adminUrl(stack: Stack): string {
  if (stack.sandbox === null) throw new Error('this stack has no sandbox')
  return stack.sandbox.adminUrl
}
