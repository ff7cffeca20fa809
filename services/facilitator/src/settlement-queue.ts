import { type Hex, useInLogs } from '@turnpike/payments'
import type { Logger } from '@turnpike/service'
import type { PublicClient } from 'viem'
import { describeRpcError } from './describe-rpc-error.ts'
import { diagnoseFailure } from './diagnose-failure.ts'
import { estimateTransfer } from './estimate-transfer.ts'
import { ownLogs } from './own-logs.ts'
import { gasOfEstimate, MAX_MEMBERS, packTransaction } from './pack-transaction.ts'
import type { SettledMemory } from './settled-memory.ts'
import type { SignerAccount } from './signer-account.ts'
import type { Transfer, TransferKey, TransferOutcome } from './transfer.ts'

export interface SettlementQueueDeps {
  client: PublicClient
  accounts: readonly SignerAccount[]
  settled: SettledMemory
  logger: Logger
  limits: { maxBatch: number; maxWaiting: number; answerTimeoutMs: number; maxTransferGas: number }
  observe: { batch(size: number): void }
}

export interface SettlementQueue {
  /** Resolves when the transfer is mined, has failed, or the caller's patience is over. Never throws. */
  submit(transfer: Transfer): Promise<TransferOutcome>
  waiting(): number
  /** Resolves when nothing waits and nothing is in flight. */
  drain(): Promise<void>
}

interface Entry {
  transfer: Transfer
  /** How often it was sent. Past the first time it goes alone, so that no neighbour can spoil it again. */
  sends: number
  /** Its payer's contract has a say in what it costs. */
  isContracts: boolean
  lastHash: Hex | undefined
  outcome: Promise<TransferOutcome>
  resolve(outcome: TransferOutcome): void
}

const MAX_SENDS = 3

/**
 * What waits while an account is busy becomes its next transaction, as with a Kafka producer: an idle account sends at once, a
 * busy one sends fuller batches (44k gas each instead of 86k, and ten times as many per second).
 */
export function openSettlementQueue(deps: SettlementQueueDeps): SettlementQueue {
  const { client, logger, limits } = deps
  const waiting: Entry[] = []
  const open = new Map<TransferKey, Entry>()
  const idle = [...deps.accounts]
  let onDrained: (() => void)[] = []

  return {
    async submit(transfer) {
      // The same call again, by a caller who did not wait for the first answer, is the same settlement.
      const known = open.get(transfer.key)
      if (known !== undefined) return answerInTime(known)
      if (waiting.length >= limits.maxWaiting)
        return { kind: 'failed', reason: 'too many settlements are waiting, it was not sent' }
      const entry = newEntry(transfer)
      open.set(transfer.key, entry)
      waiting.push(entry)
      dispatch()
      return answerInTime(entry)
    },
    waiting: () => waiting.length,
    drain() {
      return open.size === 0 ? Promise.resolve() : new Promise((resolve) => onDrained.push(resolve))
    },
  }

  function dispatch(): void {
    while (waiting.length > 0) {
      const account = idle.shift()
      if (account === undefined) return
      const batch = takeBatch(waiting, limits.maxBatch)
      settleBatch(account, batch)
        .catch((error: unknown) => {
          logger.error({ why: describeRpcError(error) }, 'a batch ended in an unexpected way')
          const inHand = batch.filter((entry) => !waiting.includes(entry))
          for (const entry of inHand) finish(entry, { kind: 'failed', reason: 'unexpected fault of the facilitator' })
        })
        .finally(() => {
          idle.push(account)
          dispatch()
        })
    }
  }

  async function settleBatch(account: SignerAccount, taken: readonly Entry[]): Promise<void> {
    const batch = await withoutContracts(taken)
    if (batch.length === 0) return
    const gas = await gasFor(account, batch)
    if (gas.kind === 'not_sent') return
    deps.observe.batch(batch.length)
    for (const entry of batch) entry.sends += 1
    const packed = packTransaction(
      batch.map((entry) => entry.transfer),
      gas.alone,
    )
    const sent = await account.sendUntilMined(packed, (hash) => {
      for (const entry of batch) entry.lastHash = hash
    })
    if (sent.kind === 'not_sent') {
      for (const entry of batch) finish(entry, { kind: 'failed', reason: sent.why })
      return
    }
    if (sent.kind === 'lost') {
      for (const entry of batch) finish(entry, { kind: 'pending', transaction: sent.hash })
      return
    }
    const { receipt } = sent
    for (const entry of batch) {
      const isPaid = receipt.status === 'success' && useInLogs(receipt.logs, entry.transfer) === 'paid'
      if (isPaid)
        finish(entry, { kind: 'paid', transaction: receipt.transactionHash, logs: ownLogs(receipt.logs, entry.transfer) })
      else void explainFailure(entry)
    }
  }

  /** Multicall3 gives each member whatever gas is left. A payer may have become a contract while it waited (EIP-7702): it goes alone. */
  async function withoutContracts(taken: readonly Entry[]): Promise<readonly Entry[]> {
    if (taken.length === 1 && taken[0]?.isContracts === true) return taken
    await Promise.all(
      taken.map(async (entry) => {
        // A node that is away is noticed by whoever sends.
        const code = await client.getCode({ address: entry.transfer.payer }).catch(() => undefined)
        if (code !== undefined && code !== '0x') entry.isContracts = true
      }),
    )
    if (taken.length === 1) return taken
    waiting.unshift(...taken.filter((entry) => entry.isContracts))
    return taken.filter((entry) => !entry.isContracts)
  }

  /** A contract wallet's check may need any amount of gas; its estimate also finds out before anything is spent that it fails. */
  async function gasFor(
    { address: from }: SignerAccount,
    batch: readonly Entry[],
  ): Promise<{ kind: 'known'; alone: bigint | undefined } | { kind: 'not_sent' }> {
    const [entry] = batch
    if (entry === undefined || batch.length > 1 || !entry.isContracts) return { kind: 'known', alone: undefined }
    const maxTransferGas = BigInt(limits.maxTransferGas)
    const estimate = await estimateTransfer({ client, from, maxTransferGas }, entry.transfer.data)
    switch (estimate.kind) {
      case 'fits':
        return { kind: 'known', alone: gasOfEstimate(estimate.gas, maxTransferGas) }
      case 'too_much_gas':
        finish(entry, { kind: 'too_much_gas' })
        break
      case 'reverts':
        finish(entry, { kind: 'failed', reason: estimate.reason })
        break
      case 'unavailable':
        finish(entry, { kind: 'failed', reason: 'its gas could not be estimated, it was not sent' })
    }
    return { kind: 'not_sent' }
  }

  async function explainFailure(entry: Entry): Promise<void> {
    const diagnosis = await diagnoseFailure(client, entry.transfer.data)
    switch (diagnosis.kind) {
      case 'reverts':
        return finish(entry, { kind: 'failed', reason: diagnosis.reason })
      case 'unavailable':
        return finish(entry, { kind: 'failed', reason: 'the transfer failed on chain' })
      case 'works_now':
        // A wallet that passes every check and fails on chain knows which is which; trying again is what it wants to be paid for.
        if (entry.sends >= (entry.isContracts ? 1 : MAX_SENDS))
          return finish(entry, { kind: 'failed', reason: 'the transfer failed on chain more than once' })
        waiting.unshift(entry)
        dispatch()
    }
  }

  function newEntry(transfer: Transfer): Entry {
    const { promise, resolve } = Promise.withResolvers<TransferOutcome>()
    return { transfer, sends: 0, isContracts: transfer.isContractSignature, lastHash: undefined, outcome: promise, resolve }
  }

  function finish(entry: Entry, outcome: TransferOutcome): void {
    if (outcome.kind === 'paid') deps.settled.set(entry.transfer.key, outcome)
    open.delete(entry.transfer.key)
    entry.resolve(outcome)
    if (open.size > 0) return
    for (const resolve of onDrained) resolve()
    onDrained = []
  }

  async function answerInTime(entry: Entry): Promise<TransferOutcome> {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<TransferOutcome>((resolve) => {
      timer = setTimeout(() => resolve(giveUp(entry)), limits.answerTimeoutMs)
    })
    const outcome = await Promise.race([entry.outcome, patience])
    clearTimeout(timer)
    return outcome
  }

  function giveUp(entry: Entry): TransferOutcome {
    if (entry.lastHash !== undefined) return { kind: 'pending', transaction: entry.lastHash }
    const at = waiting.indexOf(entry)
    if (at === -1) return { kind: 'undecided', why: 'it is about to be sent' }
    waiting.splice(at, 1)
    const outcome: TransferOutcome = { kind: 'failed', reason: 'it waited too long and was not sent' }
    finish(entry, outcome)
    return outcome
  }
}

function takeBatch(waiting: Entry[], maxBatch: number): Entry[] {
  const first = waiting[0]
  if (first === undefined) return []
  const isAlone = (entry: Entry) => entry.isContracts || entry.sends > 0
  if (isAlone(first)) return waiting.splice(0, 1)
  const end = waiting.findIndex(isAlone)
  return waiting.splice(0, Math.min(maxBatch, MAX_MEMBERS, end === -1 ? waiting.length : end))
}
