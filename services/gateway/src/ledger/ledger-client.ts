import {
  compile,
  type LookupItem,
  type LookupRequest,
  LookupResponse,
  Release,
  type SettleStoredRequest,
  SettleStoredResponse,
} from '@turnpike/contracts'
import { gather, openRefusals, wireFault } from '@turnpike/service'
import { inSpan } from '@turnpike/telemetry/tracing'
import { Agent, request } from 'undici'

/** The ledger did not answer, or not as agreed. The caller answers 503: nothing is decided without it. */
export class LedgerUnavailable extends Error {
  override name = 'LedgerUnavailable'
}

export type LedgerClient = {
  lookup(item: LookupRequest['items'][number]): Promise<LookupItem>
  /** Undefined while the job is not committed. */
  release(jobId: string): Promise<Release | undefined>
  settleStored(command: SettleStoredRequest): Promise<SettleStoredResponse['status']>
  /** The receipt as it was issued, or undefined. */
  receipt(id: string): Promise<unknown | undefined>
  jwks(): Promise<unknown>
  ready(): Promise<boolean>
  /** Look-ups that no call has taken along yet. */
  waiting(): number
  close(): Promise<void>
}

const TIMEOUT_MS = 5_000
const UNAUTHORIZED = 401
const MAX_BATCH = 500
const MAX_BATCHES_IN_FLIGHT = 2
// A call and its statement cost as much as some hundred keys in them; with more than this the gateway and the ledger wait for each other.
const WORTH_A_CALL = 32
const MAX_WAITING = 10_000

const validateLookup = compile(LookupResponse)
const validateRelease = compile(Release)
const validateSettleStored = compile(SettleStoredResponse)

type Waiting = {
  item: LookupRequest['items'][number]
  since: number
  resolve(found: LookupItem): void
  reject(error: unknown): void
}

/** A look-up that waited behind calls that hang is given up: whoever asked wants a 503 by now. */
function isFresh({ since, reject }: Waiting): boolean {
  const fresh = Date.now() - since <= TIMEOUT_MS
  if (!fresh) reject(new LedgerUnavailable('the look-up waited too long'))
  return fresh
}

/**
 * The ledger's internal HTTP interface. Look-ups are on the path of every request, unpaid ones included, so those that arrive
 * while a call is under way travel together in the next one: one call and one statement for up to 500 keys, at most
 * two calls under way. When idle a look-up goes at once.
 */
export function openLedgerClient(options: {
  urls: readonly string[]
  token: string
  /** PEM of the only authority that is trusted for an https ledger; the public ones when undefined. */
  tlsCa?: string | undefined
  /** Told once, in a sentence, when the configuration is at fault: waiting will not mend it. */
  onRefused?: (sentence: string) => void
  /** Told of every batch of look-ups, for metrics. */
  observe?: (result: 'answered' | 'failed', seconds: number) => void
}): LedgerClient {
  const trust = options.tlsCa === undefined ? {} : { connect: { ca: options.tlsCa } }
  const agent = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 30_000, ...trust })
  const refusals = openRefusals(options.onRefused)
  let turn = 0

  async function call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    traceparent?: string,
  ): Promise<{ status: number; json: unknown }> {
    let last: unknown
    // Every call here may be repeated, so a replica that cannot be reached costs a second try and no more.
    // The second try goes to the next replica, whatever other calls took their turn in between.
    const first = turn++
    for (let attempt = 0; attempt < Math.max(2, options.urls.length); attempt++) {
      const base = options.urls[(first + attempt) % options.urls.length] ?? ''
      // Not AbortSignal.timeout: that fires when its call is long over, too, and makes an error with its stack for nobody.
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(new LedgerUnavailable(`no answer in ${TIMEOUT_MS} ms`)), TIMEOUT_MS)
      try {
        const response = await request(`${base.replace(/\/$/, '')}${path}`, {
          method,
          dispatcher: agent,
          headers: {
            authorization: `Bearer ${options.token}`,
            'content-type': 'application/json',
            ...(traceparent === undefined ? {} : { traceparent }),
          },
          body: body === undefined ? null : JSON.stringify(body),
          signal: limit.signal,
        })
        const text = await response.body.text()
        if (response.statusCode < 500) return { status: response.statusCode, json: text === '' ? null : JSON.parse(text) }
        last = new LedgerUnavailable(`ledger answered ${response.statusCode}`)
      } catch (error) {
        last = error
      } finally {
        clearTimeout(timer)
      }
    }
    throw new LedgerUnavailable('ledger did not answer', { cause: last })
  }

  /** For what one request asks by itself; look-ups travel together and belong to no single trace. */
  function tracedCall(method: 'GET' | 'POST', template: string, path: string, body?: unknown) {
    const attributes = { 'http.request.method': method, 'url.template': template }
    return inSpan(`${method} ${template}`, { kind: 'client', attributes }, async (span) => {
      const answer = await call(method, path, body, span.traceparent)
      span.set({ 'http.response.status_code': answer.status })
      return answer
    })
  }

  async function lookUp(gathered: Waiting[]): Promise<void> {
    const batch = gathered.filter(isFresh)
    if (batch.length === 0) return
    const askedAt = performance.now()
    let result: 'answered' | 'failed' = 'failed'
    try {
      const { status, json } = await call('POST', '/internal/lookup', { items: batch.map(({ item }) => item) })
      const checked = validateLookup(json)
      if (status !== 200 || !checked.ok) throw new LedgerUnavailable(`look-up answered ${status}`)
      const found = checked.value.items
      if (found.length !== batch.length || !batch.every(({ item }, index) => answers(found[index], item.keyHash)))
        throw new LedgerUnavailable('look-up answered something else than was asked')
      result = 'answered'
      for (const [index, { resolve }] of batch.entries()) resolve(found[index] as LookupItem)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      options.observe?.(result, (performance.now() - askedAt) / 1000)
    }
  }
  const lookUps = gather({
    worthACall: WORTH_A_CALL,
    maxInACall: MAX_BATCH,
    maxCallsUnderWay: MAX_BATCHES_IN_FLIGHT,
    call: lookUp,
  })

  return {
    lookup(item) {
      if (lookUps.waiting() >= MAX_WAITING) return Promise.reject(new LedgerUnavailable('too many look-ups wait'))
      return new Promise((resolve, reject) => lookUps.add({ item, since: Date.now(), resolve, reject }))
    },
    async release(jobId) {
      const { status, json } = await tracedCall('GET', '/internal/releases/{jobId}', `/internal/releases/${jobId}`)
      if (status === 404) return undefined
      const checked = validateRelease(json)
      if (status !== 200 || !checked.ok) throw new LedgerUnavailable(`release answered ${status}`)
      return checked.value
    },
    async settleStored(command) {
      const { status, json } = await tracedCall('POST', '/internal/settle-stored', '/internal/settle-stored', command)
      const checked = validateSettleStored(json)
      if (status !== 200 || !checked.ok) throw new LedgerUnavailable(`settle-stored answered ${status}`)
      return checked.value.status
    },
    async receipt(id) {
      const { status, json } = await call('GET', `/internal/receipts/${id}`)
      if (status === 404) return undefined
      if (status !== 200) throw new LedgerUnavailable(`receipt answered ${status}`)
      return json
    },
    async jwks() {
      const { status, json } = await call('GET', '/internal/jwks')
      if (status !== 200) throw new LedgerUnavailable(`jwks answered ${status}`)
      return json
    },
    async ready() {
      try {
        // Readiness asks nobody who they are, and a ledger that refuses our token is of no use to us.
        const [{ status: known }, { status: ready }] = await Promise.all([call('GET', '/internal/jwks'), call('GET', '/readyz')])
        refusals.saw(known === UNAUTHORIZED ? 'The ledger refuses INTERNAL_TOKEN.' : undefined)
        return known === 200 && ready === 200
      } catch (error) {
        refusals.saw(ledgerFault(error))
        return false
      }
    },
    waiting: () => lookUps.waiting(),
    close: () => agent.close(),
  }
}

function ledgerFault(error: unknown): string | undefined {
  return wireFault(error, { what: 'the ledger', ca: 'LEDGER_TLS_CA', credentials: 'INTERNAL_TOKEN', isRefusal: () => false })
}

/** An answer for another key, or a taken key without its owner, must never pass for an open one. */
function answers(found: LookupItem | undefined, keyHash: string): boolean {
  return found !== undefined && found.keyHash === keyHash && (found.state === 'unknown' || found.key !== undefined)
}
