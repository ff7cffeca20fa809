import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FaultKind } from './fault-list.ts'
import type { UpstreamName } from './reply.ts'

export type Outcome = 'pending' | 'ok' | `fault:${FaultKind}` | 'client-gone'

export interface Call {
  n: number
  /** ISO 8601. */
  at: string
  upstream: UpstreamName
  path: string
  model: string
  text: string
  bodySha256: string
  outcome: Outcome
}

export interface CallLog {
  record(call: Omit<Call, 'n' | 'at' | 'outcome'>): Call
  since(n: number): Call[]
  forget(): void
  close(): void
}

const maxTextCharacters = 2_000
/** The oldest calls go first: at most about 100 MB of text, whatever is sent. */
const maxCalls = 50_000
/** Numbers are reserved a block at a time: one small write per thousand calls, and a kill can only skip numbers, never repeat one. */
const reservedBlock = 1_000

export function openCallLog(stateDir: string | undefined): CallLog {
  const counter = openCounter(stateDir)
  let calls: Call[] = []
  return {
    record(received) {
      const call: Call = {
        n: counter.next(),
        at: new Date().toISOString(),
        upstream: received.upstream,
        path: received.path,
        model: received.model,
        text: firstCharacters(received.text),
        bodySha256: received.bodySha256,
        outcome: 'pending',
      }
      calls.push(call)
      if (calls.length > maxCalls + reservedBlock) calls = calls.slice(-maxCalls)
      return call
    },
    since: (n) => calls.slice(firstIndexAbove(calls, n)),
    forget() {
      calls = []
    },
    close: () => counter.close(),
  }
}

function firstIndexAbove(calls: readonly Call[], n: number): number {
  let low = 0
  let high = calls.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((calls[middle]?.n ?? 0) > n) high = middle
    else low = middle + 1
  }
  return low
}

/** A copy, not a slice that would keep a body of megabytes alive, and never half of a surrogate pair. */
function firstCharacters(text: string): string {
  if (text.length <= maxTextCharacters) return text
  const last = text.charCodeAt(maxTextCharacters - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? maxTextCharacters - 1 : maxTextCharacters
  return Buffer.from(text.slice(0, end)).toString()
}

function openCounter(stateDir: string | undefined): { next(): number; close(): void } {
  if (stateDir === undefined) {
    let n = 0
    return { next: () => ++n, close: () => {} }
  }
  mkdirSync(stateDir, { recursive: true })
  const file = join(stateDir, 'call-counter')
  let n = readCounter(file)
  let reserved = n
  const store = (value: number) => {
    writeFileSync(`${file}.new`, `${value}\n`)
    renameSync(`${file}.new`, file)
  }
  return {
    next() {
      if (n === reserved) {
        reserved = n + reservedBlock
        store(reserved)
      }
      n += 1
      return n
    },
    close: () => store(n),
  }
}

function readCounter(file: string): number {
  let stored: string
  try {
    stored = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
  const n = Number(stored)
  // Starting again from zero would repeat numbers, so a file that cannot be read is a stop.
  if (stored.trim() === '' || !Number.isSafeInteger(n) || n < 0)
    throw new Error(`the call counter ${file} holds ${JSON.stringify(stored)}`)
  return n
}
