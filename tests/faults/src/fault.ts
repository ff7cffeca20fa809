// What can go wrong, as data. The schedule draws it, strike.ts does it.

/** Where a paid request is when the fault strikes. */
export const MOMENTS = {
  verifying: 'a payment is being verified, its job not yet published',
  working: 'the provider works',
  settling: 'a settlement is on its way to the facilitator',
  settled: 'a transfer is mined and its ledger does not know yet',
} as const
export type Moment = keyof typeof MOMENTS

export const SERVICES = ['gateway', 'text-worker', 'media-worker', 'transcription-worker', 'ledger', 'facilitator'] as const
export type Service = (typeof SERVICES)[number]

export const PARTS = ['kafka', 'postgres', 'redis', 's3', 'sandbox', 'chain'] as const
export type PartName = (typeof PARTS)[number]

export const VENDORS = ['gemini', 'elevenlabs'] as const
export type Vendor = (typeof VENDORS)[number]

export const UPSTREAM_FAULTS = [
  'latency',
  'status-429',
  'status-500',
  'status-503',
  'reset-before-response',
  'hang',
  'truncated-body',
  'invalid-json',
  'blocked',
] as const

/**
 * What a proxy does to the calls of one path. `late`: answers after a while. `never`: passes the call on and keeps the answer. `lost`: does
 * not even pass it on. `twice`: passes it on twice. `fails`: passes it on, answers 500. `cut`: passes it on, breaks off the answer.
 * `refuses`, `confirms`: an answer of the opposite meaning, after (before) the deed. `garbage`: 200 and no JSON.
 */
export type Trick = 'late' | 'never' | 'lost' | 'twice' | 'fails' | 'cut' | 'refuses' | 'confirms' | 'garbage'

export const SETTLE_TRICKS: readonly Trick[] = [
  'late',
  'never',
  'lost',
  'twice',
  'fails',
  'cut',
  'refuses',
  'confirms',
  'garbage',
]
export const VERIFY_TRICKS: readonly Trick[] = ['late', 'never', 'fails', 'cut', 'refuses', 'garbage']
export const CHAIN_TRICKS: readonly Trick[] = ['late', 'never', 'lost', 'fails', 'cut', 'refuses', 'garbage']

export type Fault =
  | { kind: 'service'; service: Service; how: 'kill' | 'terminate' | 'pause'; replicas: 'one' | 'all' }
  | { kind: 'part'; part: PartName; how: 'stop' | 'kill' | 'pause' }
  | { kind: 'flush' }
  | { kind: 'upstream'; vendor: Vendor; does: (typeof UPSTREAM_FAULTS)[number]; times: number }
  | { kind: 'facilitator'; path: '/verify' | '/settle'; does: Trick }
  | { kind: 'node'; does: Trick }

/** `forMs`: how long it lasts, where it does not end by itself. */
export type PlannedFault = { number: number; fault: Fault; moment: Moment; forMs: number }

export function nameOf(fault: Fault): string {
  switch (fault.kind) {
    case 'service': {
      const deed = { kill: 'kill -9', terminate: 'SIGTERM', pause: 'SIGSTOP' }[fault.how]
      // There is one facilitator: it owns its account's nonces.
      if (fault.service === 'facilitator') return `${deed} of the facilitator`
      return `${deed} of ${fault.replicas === 'all' ? 'every' : 'one'} ${fault.service}`
    }
    case 'part':
      return `${fault.part}: ${{ stop: 'stopped', kill: 'kill -9', pause: 'SIGSTOP' }[fault.how]}`
    case 'flush':
      return 'redis: FLUSHALL'
    case 'upstream':
      return `${fault.vendor}: ${fault.does}`
    case 'facilitator':
      return `facilitator ${fault.path}: ${fault.does}`
    case 'node':
      return `chain node: ${fault.does}`
  }
}

export function describeFault({ fault, moment }: PlannedFault): string {
  return `${nameOf(fault)}, while ${MOMENTS[moment]}`
}
