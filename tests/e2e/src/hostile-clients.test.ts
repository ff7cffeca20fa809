import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fundWallet } from '@turnpike/local'
import { callsWith, chat, post, quoteAndSign, transfersToSeller, until } from '@turnpike/testing'
import { expect, it } from 'vitest'
import { readPayload } from './authorizations.ts'
import { chanceOf } from './hostile/chance.ts'
import { type Good, type HostileRequest, hostileRequest } from './hostile/hostile-requests.ts'
import { type RawAnswer, rawExchange } from './hostile/raw-exchange.ts'
import { processesOf, stackNow } from './stack-under-test.ts'

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 1_500)
const SEED = Number(process.env.HOSTILE_SEED ?? 1)
const WARM_UP = 400
const AT_ONCE = 12
// What a run may leave behind in one gateway, however long it is: the collector's slack, not a growth per request.
const MAX_GROWTH_MIB = 96

const ANSWERS = new Set([400, 402, 409, 413, 415, 431])
const UNREADABLE_ANSWERS = new Set([...ANSWERS, 401, 404, 405, 408])

const stack = stackNow()

it(`${REQUESTS} hostile requests: no unhandled fault, no upstream call, no transfer, no growth (seed ${SEED})`, async () => {
  const wallet = await fundWallet(stack, 5)
  const marker = randomUUID()
  const body = chat(`Hostile ${marker}`)
  const key = randomUUID()
  const url = `${stack.baseUrl}/v1/chat/completions`
  const payment = await quoteAndSign(wallet, { url, body, key })
  const good: Good = { body: JSON.stringify(body), key, payload: readPayload(payment), text: `Hostile ${marker}` }
  const chance = chanceOf(SEED)
  const counts = new Map<string, number>()
  const wrong: string[] = []

  const attack = async (count: number) => {
    let sent = 0
    const attacker = async (gateway: string) => {
      while (sent < count) {
        sent++
        const request = hostileRequest(chance, good)
        const answer = await rawExchange(new URL(gateway), request.bytes, { hangsUp: request.unreadable === true })
        const label = typeof answer === 'string' ? answer : String(answer.status)
        counts.set(`${request.kind}: ${label}`, (counts.get(`${request.kind}: ${label}`) ?? 0) + 1)
        const complaint = complaintOf(request, answer)
        if (complaint !== undefined) wrong.push(`${complaint}\n${request.bytes.subarray(0, 600).toString('latin1')}`)
      }
    }
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => attacker(stack.gateways[index % stack.gateways.length] ?? '')),
    )
  }

  const gateways = processesOf('gateway').map(({ pid }) => pid)
  const faultsBefore = await faultsOfGateways()
  await attack(WARM_UP)
  const before = gateways.map(residentMib)
  await attack(REQUESTS - WARM_UP)

  expect(wrong.slice(0, 3)).toEqual([])
  expect(processesOf('gateway').map(({ pid }) => pid)).toEqual(gateways)
  expect(await faultsOfGateways()).toEqual(faultsBefore)
  expect(await callsWith(stack, marker)).toEqual([])
  expect(await transfersToSeller(stack, wallet.address)).toEqual([])
  // Every kind was sent and, but for what cannot be read, answered.
  for (const kind of ['mangled body', 'mistyped body', 'hostile payment', 'strange headers', 'unreadable']) {
    expect([...counts.keys()].filter((label) => label.startsWith(`${kind}: 4`)).length, kind).toBeGreaterThan(0)
  }
  await until(`memory within ${MAX_GROWTH_MIB} MiB of ${before}`, () =>
    gateways.every((pid, index) => residentMib(pid) - (before[index] ?? 0) < MAX_GROWTH_MIB),
  )
  const after = gateways.map(residentMib)
  console.log(`   gateways after ${REQUESTS} hostile requests: ${before} MiB before, ${after} MiB after`)
  if (process.env.HOSTILE_COUNTS !== undefined)
    console.log(
      [...counts]
        .sort()
        .map(([label, n]) => `   ${n} ${label}`)
        .join('\n'),
    )

  // The payment that they all tried to bend still pays for what it was signed for.
  const paid = await post({ url, body, key, payment })
  expect(paid.status).toBe(200)
  expect(await callsWith(stack, marker)).toHaveLength(1)
  expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
})

function complaintOf(request: HostileRequest, answer: RawAnswer | 'closed' | 'silent'): string | undefined {
  if (answer === 'silent') return `${request.kind}: no answer and no end`
  if (answer === 'closed') return request.unreadable === true ? undefined : `${request.kind}: closed without an answer`
  const expected = request.unreadable === true ? UNREADABLE_ANSWERS : ANSWERS
  if (!expected.has(answer.status)) return `${request.kind}: ${answer.status} ${answer.body.slice(0, 300)}`
  if (request.unreadable === true) return undefined
  const { code, error, request_id: requestId } = JSON.parse(answer.body) as Record<string, unknown>
  const named = typeof error === 'string' ? code : (error as { code?: unknown } | undefined)?.code
  if (typeof named !== 'string' || requestId !== answer.headers['x-request-id'])
    return `${request.kind}: no envelope: ${answer.body}`
  return undefined
}

function residentMib(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kibibytes) / 1024)
}

/** Answers of 500 and above, as the gateways count them. */
async function faultsOfGateways(): Promise<string[]> {
  const texts = await Promise.all(
    processesOf('gateway').map(async ({ internalUrl }) => (await fetch(`${internalUrl}/metrics`)).text()),
  )
  return texts.flatMap((text) => text.split('\n').filter((line) => /^turnpike_http_requests_total\{.*status="5/.test(line)))
}
