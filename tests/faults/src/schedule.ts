import type { Random } from '@turnpike/crowd'
import {
  CHAIN_TRICKS,
  type Fault,
  type Moment,
  PARTS,
  type PartName,
  type PlannedFault,
  SERVICES,
  SETTLE_TRICKS,
  UPSTREAM_FAULTS,
  VENDORS,
  VERIFY_TRICKS,
} from './fault.ts'

const BOUNDED_UPSTREAM_FAULTS = 4
const ANY_MOMENT: readonly Moment[] = ['verifying', 'working', 'settling', 'settled']

/** Every service killed, every dependency cut, every liar heard, once each; the order, the moments and the lengths are the seed's. */
export function boundedSchedule(random: Random): PlannedFault[] {
  const faults: Fault[] = [
    ...SERVICES.map((service): Fault => ({ kind: 'service', service, how: 'kill', replicas: 'all' })),
    { kind: 'service', service: random.pick(['media-worker', 'transcription-worker']), how: 'terminate', replicas: 'all' },
    { kind: 'service', service: 'ledger', how: 'pause', replicas: 'one' },
    ...PARTS.map((part): Fault => ({ kind: 'part', part, how: random.pick(waysToCut(part)) })),
    { kind: 'flush' },
    // Each of them is also in the failure contract, alone: here a few stand for what they do to everything else.
    ...random
      .shuffle(UPSTREAM_FAULTS)
      .slice(0, BOUNDED_UPSTREAM_FAULTS)
      .map((does): Fault => ({ kind: 'upstream', vendor: random.pick(VENDORS), does, times: random.whole(1, 2) })),
    ...(['never', 'twice', 'refuses', 'confirms'] as const).map(
      (does): Fault => ({ kind: 'facilitator', path: '/settle', does }),
    ),
    { kind: 'facilitator', path: '/verify', does: random.pick(VERIFY_TRICKS) },
    { kind: 'node', does: random.pick(CHAIN_TRICKS) },
  ]
  return random.shuffle(faults).map((fault, index) => planned(random, index + 1, fault, 1))
}

/** The next fault of a long run, for ever. */
export function* endlessSchedule(random: Random): Generator<PlannedFault> {
  for (let number = 1; ; number++) yield planned(random, number, draw(random), 4)
}

function draw(random: Random): Fault {
  switch (random.pick(['service', 'service', 'service', 'part', 'part', 'flush', 'upstream', 'facilitator', 'node'] as const)) {
    case 'service': {
      const how = random.pick(['kill', 'kill', 'terminate', 'pause'] as const)
      return { kind: 'service', service: random.pick(SERVICES), how, replicas: random.pick(['one', 'all']) }
    }
    case 'part': {
      const part = random.pick(PARTS)
      return { kind: 'part', part, how: random.pick(waysToCut(part)) }
    }
    case 'flush':
      return { kind: 'flush' }
    case 'upstream':
      return { kind: 'upstream', vendor: random.pick(VENDORS), does: random.pick(UPSTREAM_FAULTS), times: random.whole(1, 12) }
    case 'facilitator':
      return random.unit() < 0.7
        ? { kind: 'facilitator', path: '/settle', does: random.pick(SETTLE_TRICKS) }
        : { kind: 'facilitator', path: '/verify', does: random.pick(VERIFY_TRICKS) }
    case 'node':
      return { kind: 'node', does: random.pick(CHAIN_TRICKS) }
  }
}

function waysToCut(part: PartName): readonly ('stop' | 'kill' | 'pause')[] {
  // The local chain keeps its state once a second: killed, it forgets transfers, and what it forgot cannot be compared with anything.
  return part === 'chain' ? ['stop', 'pause'] : ['stop', 'kill', 'pause']
}

function planned(random: Random, number: number, fault: Fault, longest: number): PlannedFault {
  return { number, fault, moment: momentOf(random, fault), forMs: lengthMs(random, fault) * random.whole(1, longest) }
}

function momentOf(random: Random, fault: Fault): Moment {
  switch (fault.kind) {
    case 'upstream':
      return 'working'
    case 'facilitator':
      return fault.path === '/verify' ? 'verifying' : 'settling'
    case 'part':
      if (fault.part === 'sandbox') return 'working'
      return fault.part === 'chain' ? random.pick(['verifying', 'settling', 'settled']) : random.pick(ANY_MOMENT)
    case 'service':
      switch (fault.service) {
        case 'text-worker':
        case 'media-worker':
        case 'transcription-worker':
          return 'working'
        case 'ledger':
          return random.pick(['working', 'settling', 'settled'])
        case 'facilitator':
          return random.pick(['verifying', 'settling', 'settled'])
        case 'gateway':
          return random.pick(ANY_MOMENT)
      }
      break
    case 'flush':
    case 'node':
      return random.pick(ANY_MOMENT)
  }
}

function lengthMs(random: Random, fault: Fault): number {
  // Longer than the ledger's payment lease in this stack: the others take over what the paused one still believes to hold.
  if (fault.kind === 'service' && fault.how === 'pause') return random.whole(4_500, 6_000)
  return random.whole(600, 1_800)
}
