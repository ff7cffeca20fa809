import { setTimeout as pause } from 'node:timers/promises'
import type { TestWallet } from '@turnpike/testing'
import { drawBehaviour, pursue, type Style } from './client-styles.ts'
import { newRequest, type PaidRequest, type RequestDeps } from './paid-request.ts'
import type { Work } from './paid-work.ts'
import type { Random } from './random.ts'

export type Crowd = {
  requests: readonly PaidRequest[]
  violations: readonly string[]
  /** How often each answer was seen. */
  answers: ReadonlyMap<string, number>
  deps: RequestDeps
  byMarker(text: string): PaidRequest | undefined
  byNonce(nonce: string): PaidRequest | undefined
  /** A request outside the loops, which counts as one of the crowd's. */
  add(work: Work): PaidRequest
  /** More clients, of this work only, until they leave: resolves when the copies under way have their answers. */
  join(clients: number, mix: readonly Work[]): { leave(): Promise<void> }
  /** No client starts anything new; resolves when the copies under way have their answers. */
  stop(): Promise<void>
}

const MIX: readonly Work[] = ['text', 'text', 'image', 'speech', 'transcription']

/** Many clients, each with one request after the other in the style that the seed gives it. */
export function startCrowd(options: {
  gateways: readonly string[]
  wallets: readonly TestWallet[]
  clients: number
  random: Random
}): Crowd {
  const { gateways, wallets, clients, random } = options
  const requests: PaidRequest[] = []
  const violations: string[] = []
  const answers = new Map<string, number>()
  const stopped = new AbortController()
  const styles = new Map<PaidRequest, Style>()
  const deps: RequestDeps = {
    gateways,
    violation: (request, what) =>
      violations.push(`request ${request.number} (${styles.get(request) ?? 'probe'}), ${new Date().toISOString()}: ${what}`),
    onAnswer: (code) => answers.set(code, (answers.get(code) ?? 0) + 1),
  }
  const add = (wallet: TestWallet, work: Work) => {
    const request = newRequest(requests.length + 1, wallet, work)
    requests.push(request)
    return request
  }

  const loops: Promise<void>[] = []
  async function client(number: number, mix: readonly Work[], over: AbortSignal): Promise<void> {
    const own = random.fork(`client ${number}`)
    while (!over.aborted) {
      const behaviour = drawBehaviour(own, gateways.length)
      const request = add(own.pick(wallets), own.pick(mix))
      styles.set(request, behaviour.style)
      try {
        await pursue(deps, request, behaviour, over)
      } catch (error) {
        deps.violation(request, `its client failed: ${error instanceof Error ? error.message : String(error)}`)
      }
      await pause(own.whole(0, 200))
    }
  }
  function join(count: number, mix: readonly Work[]): { leave(): Promise<void> } {
    const left = new AbortController()
    const over = AbortSignal.any([stopped.signal, left.signal])
    const joined = Array.from({ length: count }, (_, number) => client(loops.length + number, mix, over))
    loops.push(...joined)
    return {
      async leave() {
        left.abort()
        await Promise.all(joined)
      },
    }
  }
  join(clients, MIX)

  return {
    requests,
    violations,
    answers,
    deps,
    byMarker: (text) => {
      const number = /\bfault-(\d+)-[0-9a-f-]{36}/.exec(text)?.[1]
      const request = number === undefined ? undefined : requests[Number(number) - 1]
      return request !== undefined && text.includes(request.marker) ? request : undefined
    },
    byNonce: (nonce) => requests.findLast((request) => request.nonces.has(nonce.toLowerCase())),
    add: (work) => add(wallets[0] as TestWallet, work),
    join,
    async stop() {
      stopped.abort()
      await Promise.all(loops)
    },
  }
}
