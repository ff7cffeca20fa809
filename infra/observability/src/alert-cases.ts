// For each alert: series as a stack shows them under which it fires, and the nearest ones under which it does not.

/** In promtool's notation, one value a minute. */
export type Series = readonly [series: string, values: string]
export type AlertCase = {
  fires: readonly Series[]
  quiet: readonly Series[]
  /** Of the alert that fires, beside the severity. */
  labels?: Readonly<Record<string, string>>
  at?: string
}

const steady = (value: number) => `${value}x120`
const perMinute = (value: number) => `0+${value}x120`
/** Zero at first: a counter that begins with its first increase has none. */
const once = '0x20 1x100'
const never = steady(0)
/** A counter that is there from its first increase on. */
const appears = '_x20 1x100'

/** A histogram all of whose observations fall between two neighbouring bounds, or below the first. */
function observed(name: string, labels: string, upTo: string, below: string | undefined): Series[] {
  const comma = labels === '' ? '' : ','
  return [
    ...(below === undefined ? [] : [[`${name}_bucket{${labels}${comma}le="${below}"}`, never] as const]),
    [`${name}_bucket{${labels}${comma}le="${upTo}"}`, perMinute(60)],
    [`${name}_bucket{${labels}${comma}le="+Inf"}`, perMinute(60)],
  ]
}

const GATEWAY = 'service="gateway",instance="g1"'
const LEDGER = 'service="ledger",instance="l1"'
const WORKER = 'service="text-worker",instance="t1"'
const AUDITOR = 'service="auditor",instance="a1"'
const FACILITATOR = 'service="facilitator",instance="f1"'
const MODEL = 'gm-2.5-flash'

const pair = (fires: string, quiet: string, series: string, labels?: Record<string, string>, at?: string): AlertCase => ({
  fires: [[series, fires]],
  quiet: [[series, quiet]],
  ...(labels === undefined ? {} : { labels }),
  ...(at === undefined ? {} : { at }),
})

const UP: Series[] = [
  [`up{${GATEWAY}}`, steady(1)],
  [`up{${LEDGER}}`, steady(1)],
]

export const SERVICE_CASES: Record<string, AlertCase> = {
  ServiceGone: {
    fires: [...UP, [`up{${WORKER}}`, never], ['up{service="text-worker",instance="t2"}', never]],
    quiet: [...UP, [`up{${WORKER}}`, never], ['up{service="text-worker",instance="t2"}', steady(1)]],
    labels: { service: 'text-worker' },
  },
  ReplicaDown: pair(never, steady(1), `up{${WORKER}}`, { service: 'text-worker', instance: 't1' }),
  AdmissionClosed: {
    fires: [
      [`turnpike_dependency_up{${GATEWAY},dependency="kafka"}`, never],
      ['turnpike_dependency_up{service="gateway",instance="g2",dependency="kafka"}', never],
    ],
    quiet: [
      [`turnpike_dependency_up{${GATEWAY},dependency="kafka"}`, never],
      ['turnpike_dependency_up{service="gateway",instance="g2",dependency="kafka"}', steady(1)],
    ],
    labels: { dependency: 'kafka' },
  },
  HighErrorRate: {
    fires: [
      [`turnpike_http_requests_total{${GATEWAY},route="/v1/messages",status="503"}`, perMinute(20)],
      [`turnpike_http_requests_total{${GATEWAY},route="/v1/messages",status="402"}`, perMinute(200)],
    ],
    quiet: [
      [`turnpike_http_requests_total{${GATEWAY},route="/v1/messages",status="503"}`, perMinute(8)],
      [`turnpike_http_requests_total{${GATEWAY},route="/v1/messages",status="402"}`, perMinute(200)],
    ],
  },
  InternalErrors: pair(appears, '1x120', `turnpike_http_requests_total{${GATEWAY},route="/v1/messages",status="500"}`, {
    route: '/v1/messages',
  }),
  ChallengesSlow: {
    fires: observed('turnpike_http_request_seconds', `${GATEWAY},route="/v1/messages",answer="402"`, '1', '0.5'),
    quiet: observed('turnpike_http_request_seconds', `${GATEWAY},route="/v1/messages",answer="402"`, '0.5', '0.2'),
  },
  AdmissionSlow: {
    fires: observed('turnpike_admission_seconds', GATEWAY, '5', '2'),
    quiet: observed('turnpike_admission_seconds', GATEWAY, '2', '1'),
  },
  GatewayFull: {
    fires: [
      [`turnpike_in_flight{${GATEWAY}}`, steady(4_600)],
      [`turnpike_in_flight_ceiling{${GATEWAY}}`, steady(5_000)],
    ],
    quiet: [
      [`turnpike_in_flight{${GATEWAY}}`, steady(4_400)],
      [`turnpike_in_flight_ceiling{${GATEWAY}}`, steady(5_000)],
    ],
    labels: { instance: 'g1' },
  },
  UploadsWait: pair(steady(65), steady(64), `turnpike_large_bodies_waiting{${GATEWAY}}`, { instance: 'g1' }),
  EventLoopBlocked: pair(steady(0.3), steady(0.2), `nodejs_eventloop_lag_p99_seconds{${GATEWAY}}`, {
    service: 'gateway',
    instance: 'g1',
  }),
  LookupsSlow: {
    fires: observed('turnpike_ledger_lookup_seconds', `${GATEWAY},result="answered"`, '1', '0.5'),
    quiet: observed('turnpike_ledger_lookup_seconds', `${GATEWAY},result="answered"`, '0.5', '0.2'),
  },
  TracesLost: pair(perMinute(10), never, `turnpike_trace_spans_total{${GATEWAY},result="failed"}`, { service: 'gateway' }, '60m'),
}

const UNDECIDED = (state: string) => `turnpike_ledger_oldest_undecided_payment_seconds{${LEDGER},state="${state}"}`

export const MONEY_CASES: Record<string, AlertCase> = {
  AuditDifference: pair(steady(1), never, `turnpike_audit_differences{${AUDITOR}}`),
  AuditStale: {
    fires: [
      [`turnpike_audit_last_run_timestamp_seconds{${AUDITOR}}`, steady(0)],
      [`turnpike_audit_interval_seconds{${AUDITOR}}`, steady(900)],
    ],
    quiet: [
      [`turnpike_audit_last_run_timestamp_seconds{${AUDITOR}}`, perMinute(60)],
      [`turnpike_audit_interval_seconds{${AUDITOR}}`, steady(900)],
    ],
    at: '80m',
  },
  RefundDue: pair(steady(1), never, `turnpike_audit_refunds_due{${AUDITOR}}`),
  SettlementUnknown: pair(steady(700), steady(500), UNDECIDED('unknown')),
  SettlementStuck: pair(steady(400), steady(200), UNDECIDED('settling')),
  SettlementSlow: {
    fires: observed('turnpike_ledger_settlement_seconds', LEDGER, '60', '20'),
    quiet: observed('turnpike_ledger_settlement_seconds', LEDGER, '20', '10'),
  },
  SettlementRefusedByUs: {
    fires: [[`turnpike_ledger_settlement_answers_total{${LEDGER},answer="refused_operator"}`, once]],
    quiet: [[`turnpike_ledger_settlement_answers_total{${LEDGER},answer="refused_payer"}`, once]],
  },
  PaymentUnreadable: pair(once, never, `turnpike_ledger_unreadable_payments_total{${LEDGER},reason="seal_broken"}`, {
    reason: 'seal_broken',
  }),
  PaidRequestsFail: {
    fires: [
      [`turnpike_payment_funnel_total{${GATEWAY},step="admitted"}`, perMinute(100)],
      [`turnpike_payment_funnel_total{${GATEWAY},step="released"}`, perMinute(70)],
    ],
    quiet: [
      [`turnpike_payment_funnel_total{${GATEWAY},step="admitted"}`, perMinute(100)],
      [`turnpike_payment_funnel_total{${GATEWAY},step="released"}`, perMinute(90)],
    ],
  },
  VerificationUnavailable: {
    fires: [[`turnpike_verification_seconds_count{${GATEWAY},result="unavailable"}`, perMinute(6)]],
    quiet: [[`turnpike_verification_seconds_count{${GATEWAY},result="rejected"}`, perMinute(60)]],
  },
  ExposureHigh: {
    fires: [
      [`turnpike_exposure_usdc{${GATEWAY}}`, steady(850)],
      [`turnpike_exposure_ceiling_usdc{${GATEWAY}}`, steady(1_000)],
    ],
    quiet: [
      [`turnpike_exposure_usdc{${GATEWAY}}`, steady(700)],
      [`turnpike_exposure_ceiling_usdc{${GATEWAY}}`, steady(1_000)],
    ],
  },
  GasLow: pair(steady(0.009), steady(0.02), `turnpike_facilitator_gas_money_eth{${FACILITATOR}}`),
  SettlementsQueue: pair(steady(300), steady(100), `turnpike_facilitator_settlements_waiting{${FACILITATOR}}`),
}

const CALL = (outcome: string) => `turnpike_provider_calls_total{${WORKER},model="${MODEL}",outcome="${outcome}",reason="none"}`

export const WORK_CASES: Record<string, AlertCase> = {
  JobsWait: {
    fires: observed('turnpike_job_wait_seconds', WORKER, '20', '10'),
    quiet: observed('turnpike_job_wait_seconds', WORKER, '10', '5'),
    labels: { service: 'text-worker' },
  },
  JobStuck: pair(steady(1_000), steady(800), `turnpike_ledger_oldest_open_job_seconds{${LEDGER}}`),
  JobsOverdue: pair(once, never, `turnpike_ledger_overdue_jobs_total{${LEDGER}}`),
  ConsumerLag: {
    fires: [
      [`turnpike_consumer_lag{${WORKER},topic="jobs.text"}`, steady(300)],
      ['turnpike_consumer_lag{service="text-worker",instance="t2",topic="jobs.text"}', steady(300)],
    ],
    quiet: [
      [`turnpike_consumer_lag{${WORKER},topic="jobs.text"}`, steady(300)],
      ['turnpike_consumer_lag{service="text-worker",instance="t2",topic="jobs.text"}', steady(100)],
    ],
    labels: { service: 'text-worker', topic: 'jobs.text' },
  },
  ConsumerOut: pair(never, steady(1), `turnpike_consumer_up{${WORKER}}`, { service: 'text-worker', instance: 't1' }),
  MessageStuck: pair(steady(1_000), steady(800), `turnpike_consumer_oldest_unfinished_seconds{${WORKER},topic="jobs.text"}`, {
    service: 'text-worker',
    topic: 'jobs.text',
  }),
  DeadLetters: pair(once, never, `turnpike_consumer_dead_lettered_total{${WORKER}}`, { service: 'text-worker' }),
  PublisherBacklog: pair(steady(1_100), steady(900), `turnpike_publisher_queued{${GATEWAY}}`, {
    service: 'gateway',
    instance: 'g1',
  }),
  ModelClosed: pair(steady(1), never, `turnpike_model_closed{${GATEWAY},model="${MODEL}"}`, { model: MODEL }),
  TargetOpen: pair(steady(1), never, `turnpike_target_open{${WORKER},model="${MODEL}",target="0"}`, {
    model: MODEL,
    target: '0',
  }),
  ProviderErrors: {
    fires: [
      [CALL('failed'), perMinute(30)],
      [CALL('succeeded'), perMinute(70)],
    ],
    quiet: [
      [CALL('failed'), perMinute(10)],
      [CALL('refused'), perMinute(50)],
      [CALL('succeeded'), perMinute(70)],
    ],
    labels: { model: MODEL },
  },
  ProviderRefusesUs: {
    fires: [
      [
        `turnpike_target_calls_total{${WORKER},model="${MODEL}",target="0",outcome="failed",reason="credentials_refused"}`,
        appears,
      ],
    ],
    quiet: [[`turnpike_target_calls_total{${WORKER},model="${MODEL}",target="0",outcome="failed",reason="overloaded"}`, once]],
    labels: { model: MODEL },
    at: '25m',
  },
  ProviderSlow: {
    fires: observed('turnpike_provider_call_seconds', `${WORKER},model="${MODEL}",outcome="succeeded"`, '120', '60'),
    quiet: observed('turnpike_provider_call_seconds', `${WORKER},model="${MODEL}",outcome="succeeded"`, '60', '20'),
    labels: { model: MODEL },
  },
  JobStartsExhausted: pair(once, never, `turnpike_job_starts_exhausted_total{${WORKER}}`, { service: 'text-worker' }),
}

export const ALERT_CASES: Record<string, AlertCase> = { ...SERVICE_CASES, ...MONEY_CASES, ...WORK_CASES }
