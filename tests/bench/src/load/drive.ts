import { randomUUID } from 'node:crypto'
import { type HttpAnswer, headerIn, openConnection } from './keep-alive-connection.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { requestWriter } from './request-writer.ts'

const ANSWER_TIMEOUT_MS = 120_000
/** Of every this many right answers one is read to its end. */
const READ_ONE_OF = 50

/** A closed loop: every connection sends its next request when it has its answer. Each request has a fresh idempotency key. */
export async function drive(plan: LoadPlan, payments: readonly string[]): Promise<LoadResult> {
  const { hostname: host, port } = new URL(plan.url)
  const latenciesMs: number[] = []
  const answers: Record<string, number> = {}
  let errors = 0
  let sent = 0

  const startedAt = performance.now()
  const endsAt = plan.kind === 'unpaid' ? startedAt + plan.seconds * 1000 : Number.POSITIVE_INFINITY
  const mayStart = () => (plan.kind === 'unpaid' ? performance.now() < endsAt : sent < plan.count)

  async function loop(): Promise<void> {
    const connection = openConnection({ host, port: Number(port), timeoutMs: ANSWER_TIMEOUT_MS })
    const write = requestWriter(plan)
    while (mayStart()) {
      const payment = plan.kind === 'paid' ? payments[plan.first + sent] : undefined
      if (plan.kind === 'paid' && payment === undefined) throw new Error('more payments were asked for than were signed')
      const isRead = sent % READ_ONE_OF === 0
      sent += 1
      const request = write(randomUUID(), payment)
      const sentAt = performance.now()
      let answer: string
      try {
        const received = await connection.exchange(request)
        const defect = defectOf(plan, received, isRead)
        answer = defect ?? String(received.status)
        if (defect !== undefined) errors += 1
      } catch (error) {
        answer = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
        errors += 1
      }
      latenciesMs.push(performance.now() - sentAt)
      answers[answer] = (answers[answer] ?? 0) + 1
    }
    connection.close()
  }

  await Promise.all(Array.from({ length: plan.connections }, loop))
  const elapsedMs = performance.now() - startedAt
  latenciesMs.sort((a, b) => a - b)
  return {
    requests: sent,
    elapsedMs,
    requestsPerSecond: ((sent - errors) / elapsedMs) * 1000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: latenciesMs.at(-1) ?? 0,
    answers,
    errors,
  }
}

/** What is wrong with an answer, if anything. Status and header are looked at in every one; what they hold in a sample. */
function defectOf({ expect }: LoadPlan, { status, head, body }: HttpAnswer, isRead: boolean): string | undefined {
  const value = headerIn(head, expect.header)
  if (status !== expect.status || value === undefined) return `${status} ${codeIn(body.toString())}`.trimEnd()
  if (!isRead) return undefined
  if (!isObject(body.toString())) return `${status} with a body that is not JSON`
  if (!isObject(Buffer.from(value, 'base64').toString())) return `${status} with a ${expect.header} that cannot be read`
  return undefined
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** The stable code inside a refusal of either side, to tell one 402 from another. */
function codeIn(text: string): string {
  return /"(?:code|reason|errorReason)":"([a-z0-9_]+)"/.exec(text)?.[1] ?? ''
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
