import { type UpstreamName, upstreamNames } from './reply.ts'

export const faultKinds = [
  'latency',
  'status-429',
  'status-500',
  'status-503',
  'reset-before-response',
  'hang',
  'truncated-body',
  'invalid-json',
  'blocked',
  'no-content',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  upstream: UpstreamName
  match?: { pathIncludes?: string; bodyIncludes?: string }
  kind: FaultKind
  /** How many calls it still applies to; absent, every one. */
  times?: number
  /** For `latency` how long to wait (required), for `hang` how long to hold on, for the rest a delay before the fault. */
  ms?: number
}

export interface FaultList {
  replace(faults: readonly Fault[]): void
  /** Takes all of them back, and ends what waits for them. */
  clear(): void
  /** Aborted when those that apply now are taken back. */
  untilCleared(): AbortSignal
  list(): Fault[]
  /** The first fault that matches, with one of its times used up. */
  take(upstream: UpstreamName, path: string, body: Buffer): Fault | undefined
}

export function createFaultList(): FaultList {
  let active: { fault: Fault; bodyNeedle: Buffer | undefined; left: number }[] = []
  let clearing = new AbortController()
  return {
    replace(faults) {
      active = faults.map((fault) => ({
        fault,
        bodyNeedle: fault.match?.bodyIncludes === undefined ? undefined : Buffer.from(fault.match.bodyIncludes),
        left: fault.times ?? Number.POSITIVE_INFINITY,
      }))
    },
    clear() {
      active = []
      clearing.abort()
      clearing = new AbortController()
    },
    untilCleared: () => clearing.signal,
    list: () => active.map(({ fault, left }) => (Number.isFinite(left) ? { ...fault, times: left } : fault)),
    take(upstream, path, body) {
      const found = active.find(
        ({ fault, bodyNeedle }) =>
          fault.upstream === upstream &&
          path.includes(fault.match?.pathIncludes ?? '') &&
          (bodyNeedle === undefined || body.includes(bodyNeedle)),
      )
      if (!found) return undefined
      found.left -= 1
      if (found.left === 0) active = active.filter((entry) => entry !== found)
      return found.fault
    },
  }
}

const maxFaults = 1_000
const maxDelayMs = 3_600_000

export type ParsedFaults = { ok: true; faults: Fault[] } | { ok: false; problem: string }

/** Reads the body of `PUT /faults`; a problem names the entry and the member. */
export function parseFaults(body: Buffer): ParsedFaults {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return { ok: false, problem: 'the body is not JSON' }
  }
  if (!Array.isArray(value)) return { ok: false, problem: 'the body must be a JSON array of faults' }
  if (value.length > maxFaults) return { ok: false, problem: `at most ${maxFaults} faults` }
  const faults: Fault[] = []
  for (const [index, entry] of value.entries()) {
    const parsed = parseFault(entry)
    if (typeof parsed === 'string') return { ok: false, problem: `faults[${index}]${parsed}` }
    faults.push(parsed)
  }
  return { ok: true, faults }
}

function parseFault(entry: unknown): Fault | string {
  if (!isRecord(entry)) return ' must be an object'
  const unknown = unknownMember(entry, ['upstream', 'match', 'kind', 'times', 'ms'])
  if (unknown !== undefined) return `.${unknown} is not a member of a fault`
  const upstream = upstreamNames.find((name) => name === entry.upstream)
  if (upstream === undefined) return `.upstream must be one of ${upstreamNames.join(', ')}`
  const kind = faultKinds.find((name) => name === entry.kind)
  if (kind === undefined) return `.kind must be one of ${faultKinds.join(', ')}`
  const { times, ms, match } = entry
  if (times !== undefined && !isIntegerIn(times, 1, Number.MAX_SAFE_INTEGER)) return '.times must be an integer of at least 1'
  if (ms !== undefined && !isIntegerIn(ms, 0, maxDelayMs)) return `.ms must be an integer from 0 to ${maxDelayMs}`
  if (kind === 'latency' && ms === undefined) return '.ms is required for latency'
  const fault: Fault = { upstream, kind }
  if (times !== undefined) fault.times = times
  if (ms !== undefined) fault.ms = ms
  if (match === undefined) return fault
  if (!isRecord(match)) return '.match must be an object'
  const unknownMatch = unknownMember(match, ['pathIncludes', 'bodyIncludes'])
  if (unknownMatch !== undefined) return `.match.${unknownMatch} is not a member of a match`
  const { pathIncludes, bodyIncludes } = match
  if (pathIncludes !== undefined && typeof pathIncludes !== 'string') return '.match.pathIncludes must be a string'
  if (bodyIncludes !== undefined && typeof bodyIncludes !== 'string') return '.match.bodyIncludes must be a string'
  fault.match = {}
  if (pathIncludes !== undefined) fault.match.pathIncludes = pathIncludes
  if (bodyIncludes !== undefined) fault.match.bodyIncludes = bodyIncludes
  return fault
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknownMember(record: Record<string, unknown>, known: readonly string[]): string | undefined {
  return Object.keys(record).find((key) => !known.includes(key))
}

function isIntegerIn(value: unknown, minimum: number, maximum: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
}
