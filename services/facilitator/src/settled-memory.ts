import type { TransferKey, TransferOutcome } from './transfer.ts'

type Paid = Extract<TransferOutcome, { kind: 'paid' }>

/** What was settled lately: who asks again because the first answer was lost gets the same one. */
export interface SettledMemory {
  get(transfer: TransferKey): Paid | undefined
  set(transfer: TransferKey, outcome: Paid): void
}

export function createSettledMemory(maxEntries = 10_000): SettledMemory {
  const entries = new Map<TransferKey, Paid>()
  return {
    get: (transfer) => entries.get(transfer),
    set(transfer, outcome) {
      entries.set(transfer, outcome)
      const oldest = entries.keys().next()
      if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value)
    },
  }
}
