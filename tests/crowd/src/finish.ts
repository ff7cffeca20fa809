import { type Answer, type PaidRequest, type RequestDeps, sendCopy } from './paid-request.ts'

export type Unfinished = { request: PaidRequest; lastSeen: string }

const AT_ONCE = 8
/** The longest chain of waits: a job that nobody executes is given up at its deadline, and only then may be repeated. */
const LONGEST_END_MS = 75_000
const PAUSE_MS = 200

/**
 * With everything healed every request comes to its end: whoever was paid gets its result by key and a signature, a key that was not paid is
 * free and is paid now, and a key that is closed for good says so again. Returns those that did not.
 */
export async function finishAll(deps: RequestDeps, requests: readonly PaidRequest[]): Promise<Unfinished[]> {
  const unfinished: Unfinished[] = []
  const queue = [...requests]
  const until = Date.now() + LONGEST_END_MS
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let request = queue.pop(); request !== undefined; request = queue.pop()) {
        const lastSeen = await finish(deps, request, Math.max(until, Date.now() + LONGEST_END_MS / 3))
        if (lastSeen !== undefined) unfinished.push({ request, lastSeen })
      }
    }),
  )
  return unfinished
}

/** Undefined when it ended. Every copy is signed anew, each time at another gateway: a replay takes any valid signature by the payer. */
async function finish(deps: RequestDeps, request: PaidRequest, untilMs: number): Promise<string | undefined> {
  let lastSeen = 'nothing'
  for (let gateway = request.number; Date.now() < untilMs; gateway++) {
    const quoted = await sendCopy(deps, request, { gateway })
    if (quoted.kind === 'closed') return undefined
    if (quoted.kind === 'challenged') {
      const answer = await sendCopy(deps, request, { gateway: gateway + 1, payment: await quoted.sign() })
      if (answer.kind === 'paid' || answer.kind === 'closed') return undefined
      lastSeen = describe(answer)
    } else {
      lastSeen = describe(quoted)
    }
    await new Promise((next) => setTimeout(next, PAUSE_MS))
  }
  return lastSeen
}

function describe(answer: Answer): string {
  return 'code' in answer ? answer.code : answer.kind
}
