import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { auditorEnvironment, freePort, fundWallet } from '@turnpike/local'
import { METRICS_OF_SERVICES, OTHER } from '@turnpike/telemetry/metrics'
import { chat, post, quoteAndSign, until } from '@turnpike/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readExposition, type ShownMetric } from './exposition.ts'
import { stackNow } from './stack-under-test.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
let auditor: ChildProcess | undefined
let auditorUrl = ''

/** Every process of the stack, by service; a service with replicas has several pages. */
async function scrape(): Promise<{ service: string; metrics: Map<string, ShownMetric> }[]> {
  const services = stackNow()
    .processes.filter(({ name, internalUrl }) => internalUrl !== undefined && name in METRICS_OF_SERVICES)
    .map(({ name, internalUrl }) => ({ name, url: internalUrl ?? '' }))
  const pages = [...services, { name: 'auditor', url: auditorUrl }]
  return await Promise.all(
    pages.map(async ({ name, url }) => ({
      service: name,
      metrics: readExposition(await (await fetch(`${url}/metrics`)).text()),
    })),
  )
}

async function total(metric: string, labels: Record<string, string> = {}): Promise<number> {
  const samples = (await scrape()).flatMap(({ metrics }) => metrics.get(metric)?.samples ?? [])
  return samples
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

beforeAll(async () => {
  const port = await freePort()
  auditorUrl = `http://127.0.0.1:${port}`
  auditor = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'services/auditor/src/main.ts', '--every', '900'], {
    cwd: ROOT,
    env: { ...process.env, ...auditorEnvironment(inject('stackHome')), INTERNAL_PORT: String(port), AUDIT_BLOCKS: '1000000' },
    stdio: 'ignore',
  })
  await until('the auditor to answer', async () => (await fetch(`${auditorUrl}/healthz`)).ok)
  // One of everything that a stranger can send, so that its labels are seen.
  const stack = stackNow()
  const url = `${stack.baseUrl}/v1/chat/completions`
  const wallet = await fundWallet(stack, 1)
  const key = randomUUID()
  const payment = await quoteAndSign(wallet, { url, body: chat('Count me'), key })
  const paid = await post({ url, body: chat('Count me'), key, payment })
  expect(paid.status).toBe(200)
  await post({ url, body: chat('Hello', { model: `stranger-${randomUUID()}` }) })
  await fetch(`${stack.baseUrl}/${randomUUID()}`)
  await fetch(`${stack.baseUrl}/v1/media/${randomUUID()}`)
  await fetch(url, { method: 'PROPFIND' })
})
afterAll(async () => {
  if (auditor === undefined || auditor.exitCode !== null) return
  auditor.kill('SIGTERM')
  await once(auditor, 'exit')
})

describe('the metrics of a running stack', () => {
  it('are those of the tables, all of them, with their help and type', async () => {
    for (const { service, metrics } of await scrape()) {
      const definitions = (METRICS_OF_SERVICES[service] ?? []).flatMap((table) => Object.values(table))
      const shown = [...metrics]
        .filter(([name]) => name.startsWith('turnpike_'))
        .map(([name, { help, type }]) => [name, type, help])
      expect(shown.sort(), service).toEqual(definitions.map(({ name, kind, help }) => [name, kind, help]).sort())
    }
  })

  it('have the labels of the tables, and no value that is not listed', async () => {
    const wrong = (await scrape()).flatMap(({ service, metrics }) =>
      (METRICS_OF_SERVICES[service] ?? [])
        .flatMap((table) => Object.values(table))
        .flatMap(({ name, labels }) =>
          (metrics.get(name)?.samples ?? []).flatMap((sample) => {
            const own = Object.entries(sample.labels).filter(([label]) => label !== 'le')
            const unlisted = own.filter(([label, value]) =>
              label === 'service' ? value !== service : ![...(labels[label] ?? []), OTHER].includes(value),
            )
            const missing = Object.keys(labels).filter((label) => !(label in sample.labels))
            return [
              ...unlisted.map(([label, value]) => `${name} ${label}=${value}`),
              ...missing.map((label) => `${name} without ${label}`),
            ]
          }),
        ),
    )
    expect(wrong).toEqual([])
  })

  it('have what the alerts and dashboards need of Node itself', async () => {
    const needed = [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_open_fds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds',
    ]
    const missing = async () =>
      (await scrape()).flatMap(({ service, metrics }) =>
        needed.filter((name) => (metrics.get(name)?.samples.length ?? 0) === 0).map((name) => `${service}: ${name}`),
      )
    // A process that has just begun has collected no garbage yet.
    await expect.poll(missing).toEqual([])
  })

  it('count a paid request from its price to its receipt', async () => {
    for (const step of ['challenged', 'signed', 'verified', 'admitted', 'released']) {
      expect(await total('turnpike_payment_funnel_total', { step }), step).toBeGreaterThan(0)
    }
    expect(await total('turnpike_http_requests_total', { route: '/v1/chat/completions', status: '402' })).toBeGreaterThan(0)
    expect(await total('turnpike_http_requests_total', { route: 'unmatched', status: '404' })).toBeGreaterThan(0)
    expect(await total('turnpike_ledger_payment_moves_total', { to: 'settled' })).toBeGreaterThan(0)
    expect(await total('turnpike_ledger_settled_usdc_total')).toBeGreaterThan(0)
    expect(await total('turnpike_provider_calls_total', { outcome: 'succeeded' })).toBeGreaterThan(0)
    expect(await total('turnpike_facilitator_transactions_sent_total')).toBeGreaterThan(0)
    expect(await total('turnpike_facilitator_gas_money_eth')).toBeGreaterThan(0)
    expect(await total('turnpike_dependency_up')).toBe(5 * stackNow().gateways.length)
    expect(await total('turnpike_consumer_up')).toBeGreaterThanOrEqual(4)
  })

  it('come back to nothing open when nothing is under way', async () => {
    await until('nothing to be open', async () => {
      const open = [
        'turnpike_in_flight',
        'turnpike_ledger_open_jobs',
        'turnpike_ledger_undecided_payments',
        'turnpike_provider_calls_in_flight',
        'turnpike_consumer_in_flight',
        'turnpike_publisher_queued',
      ]
      const left = await Promise.all(open.map(async (name) => [name, await total(name)] as const))
      return left.every(([, value]) => value === 0) ? true : Promise.reject(new Error(JSON.stringify(left)))
    })
  })

  it('hold the result of an audit that goes on by itself', async () => {
    await until('the first audit to end', async () => (await total('turnpike_audit_runs_total')) > 0)
    expect(await total('turnpike_audit_differences')).toBe(0)
    expect(await total('turnpike_audit_transfers')).toBeGreaterThan(0)
    expect(await total('turnpike_audit_interval_seconds')).toBe(900)
    expect(Date.now() / 1000 - (await total('turnpike_audit_last_run_timestamp_seconds'))).toBeLessThan(120)
  })
})
