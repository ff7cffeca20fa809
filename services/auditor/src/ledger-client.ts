import {
  type AuditAuthorization,
  AuditAuthorizations,
  type AuditAuthorizationsRequest,
  type AuditPayment,
  AuditPayments,
  compile,
  Release,
  StrayReceipts,
} from '@turnpike/contracts'
import { Agent } from 'undici'
import { AuditImpossible, callJson, type JsonCall, routeOf } from './http-json.ts'

type StrayReceipt = StrayReceipts['items'][number]

export type LedgerClient = {
  /** In the order of the question. */
  authorizations(items: AuditAuthorizationsRequest['items']): Promise<AuditAuthorization[]>
  /** Undefined where nothing is committed, or not any more. */
  release(jobId: string): Promise<Release | undefined>
  payments(range: { from: bigint; to: bigint }): AsyncGenerator<AuditPayment[]>
  strayReceipts(sinceMs: number): AsyncGenerator<StrayReceipt[]>
}

const parseAuthorizations = compile(AuditAuthorizations)
const parsePayments = compile(AuditPayments)
const parseStrayReceipts = compile(StrayReceipts)
const parseRelease = compile(Release)

/** The ledger's internal interface as far as the audit goes. Everything throws AuditImpossible. */
export function openLedgerClient(options: {
  urls: readonly string[]
  token: string
  /** PEM of the only authority that is trusted for an https ledger. */
  tlsCa?: string | undefined
}): LedgerClient {
  const { urls, token, tlsCa } = options
  const dispatcher = tlsCa === undefined ? undefined : new Agent({ connect: { ca: tlsCa } })
  async function ask<T>(
    call: JsonCall,
    parse: (json: unknown) => { ok: true; value: T } | { ok: false },
  ): Promise<T | undefined> {
    const { status, json } = await callJson(urls, { ...call, token, dispatcher })
    if (status === 404) return undefined
    const parsed = parse(json)
    if (status !== 200 || !parsed.ok)
      throw new AuditImpossible(`the ledger answered ${routeOf(call.path)} with ${status}, not as agreed`)
    return parsed.value
  }
  async function* pages<T>(
    path: string,
    parse: (json: unknown) => { ok: true; value: { items: T[]; next?: string } } | { ok: false },
  ): AsyncGenerator<T[]> {
    for (let cursor = ''; ; ) {
      const page = await ask({ path: `${path}${cursor}` }, parse)
      if (page === undefined) throw new AuditImpossible(`this ledger has no ${routeOf(path)}`)
      yield page.items
      if (page.next === undefined) return
      cursor = `&cursor=${page.next}`
    }
  }
  return {
    async authorizations(items) {
      const found = await ask({ method: 'POST', path: '/internal/audit/authorizations', body: { items } }, parseAuthorizations)
      const isAnswer = found?.items.length === items.length && items.every(({ nonce }, at) => found.items[at]?.nonce === nonce)
      if (found === undefined || !isAnswer) throw new AuditImpossible('the ledger answered something else than was asked')
      return found.items
    },
    release: (jobId) => ask({ path: `/internal/releases/${jobId}` }, parseRelease),
    payments: ({ from, to }) => pages(`/internal/audit/payments?from=${from}&to=${to}`, parsePayments),
    strayReceipts: (sinceMs) => pages(`/internal/audit/stray-receipts?since=${sinceMs}`, parseStrayReceipts),
  }
}
