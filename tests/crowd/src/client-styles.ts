import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type PaidRequest, type RequestDeps, sendCopy } from './paid-request.ts'
import type { Random } from './random.ts'

/**
 * `same`: keeps its signature over its retries. `anew`: takes a fresh challenge and signs anew on each, as official clients do. `hangs up`: leaves
 * before the answer, several times. `twins`: sends two copies at once. `gives up`: leaves and never comes back.
 */
export const STYLES = ['same', 'anew', 'hangs up', 'twins', 'gives up'] as const
export type Style = (typeof STYLES)[number]

export type Behaviour = {
  style: Style
  /** Every copy to another gateway than the one before. */
  alternates: boolean
  firstGateway: number
  /** Before each of its first copies is left, for those who leave. */
  patienceMs: readonly number[]
}

export function drawBehaviour(random: Random, gateways: number): Behaviour {
  return {
    style: random.pick(['same', 'same', 'anew', 'anew', 'hangs up', 'twins', 'gives up']),
    alternates: random.unit() < 0.5,
    firstGateway: random.whole(0, gateways - 1),
    patienceMs: Array.from({ length: 3 }, () => random.whole(20, 1_500)),
  }
}

const BETWEEN_COPIES_MS = 150

/** Sends copies of one request until it is paid, can never be paid, its client gives up, or `signal` says that it is over. */
export async function pursue(deps: RequestDeps, request: PaidRequest, behaviour: Behaviour, signal: AbortSignal): Promise<void> {
  const { style, alternates, firstGateway, patienceMs } = behaviour
  const leaves = style === 'hangs up' || style === 'gives up'
  let payment: string | undefined
  for (let copy = 0; !signal.aborted; copy++) {
    const gateway = alternates ? firstGateway + copy : firstGateway
    if (payment === undefined || style === 'anew') {
      const quoted = await sendCopy(deps, request, { gateway })
      payment = quoted.kind === 'challenged' ? await quoted.sign() : undefined
      if (quoted.kind === 'closed') return
    }
    if (payment !== undefined) {
      const signed = { gateway, payment, hangUpAfterMs: leaves ? patienceMs[copy] : undefined }
      const answers = await Promise.all([
        sendCopy(deps, request, signed),
        ...(style === 'twins' ? [sendCopy(deps, request, { ...signed, gateway: gateway + 1 })] : []),
      ])
      if (answers.some(isEnd) || style === 'gives up') return
      // The fresh challenge of a 402 is what an x402 client signs next.
      const challenged = answers.find((answer) => answer.kind === 'challenged')
      if (challenged?.kind === 'challenged') payment = await challenged.sign()
    }
    await pause(BETWEEN_COPIES_MS, undefined, { signal }).catch(() => {})
  }
}

function isEnd(answer: Answer): boolean {
  return answer.kind === 'paid' || answer.kind === 'closed'
}
