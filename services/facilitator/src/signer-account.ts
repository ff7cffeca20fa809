import { CHAIN_ID, type ChainRpc, type Hex } from '@turnpike/payments'
import type { Logger } from '@turnpike/service'
import { keccak256, type LocalAccount, type TransactionReceipt } from 'viem'
import { describeRpcError } from './describe-rpc-error.ts'
import { type Fees, type Market, raiseFees, readMarket } from './fees.ts'
import type { PackedTransaction } from './pack-transaction.ts'
import { type SendVerdict, sendVerdict } from './send-verdict.ts'

export interface SignerAccountDeps {
  rpc: ChainRpc
  account: LocalAccount
  logger: Logger
  limits: { stuckAfterMs: number; maxFeePerGasWei: bigint }
  observe: { sent(): void; replaced(): void }
}

export type SendOutcome =
  | { kind: 'mined'; receipt: TransactionReceipt }
  /** Nothing of it is on its way, and nothing will be. */
  | { kind: 'not_sent'; why: string }
  /** The node gave no clear answer and does not know it. It may still turn up, or never. */
  | { kind: 'lost'; hash: Hex }

/** One account sends one transaction at a time, and knows of each whether it was mined before it sends the next. */
export interface SignerAccount {
  readonly address: Hex
  /** `announce` gets the hash of each version before it is sent: the last one is what a caller who cannot wait is told. */
  sendUntilMined(transaction: PackedTransaction, announce: (hash: Hex) => void): Promise<SendOutcome>
}

const FIRST_POLL_MS = 8
const SLOWEST_POLL_MS = 400
const RESEND_AFTER_MS = 1_000
const FEES_KEPT_MS = 1_000
/** Replicas of a node may know a new nonce before its receipt; this many looks apart by the slowest poll settle it. */
const LOOKS_BEFORE_TAKEN = 6
const MAX_RAISES_AT_ONCE = 40
/** Some eight seconds. One transaction that no node takes must not keep the account from everybody else's. */
const MAX_DOUBTS = 8

/**
 * The account's nonce is the chain's count of mined transactions. That holds after a restart too: a transaction that an earlier
 * process left in the pool is given time, and is then replaced at its own nonce, so there never is a gap to fill. What it would
 * have settled is lost nothing by: its authorizations are still unused, and whoever asked for them asks the chain.
 */
export function openSignerAccount(deps: SignerAccountDeps): SignerAccount {
  const { account, logger, limits, observe } = deps
  const { client } = deps.rpc
  const resendAfterMs = Math.min(RESEND_AFTER_MS, limits.stuckAfterMs)
  let nextNonce: number | undefined
  let known: (Market & { readAt: number }) | undefined

  return {
    address: account.address,
    async sendUntilMined(transaction, announce) {
      for (;;) {
        let nonce: number
        let market: Market
        try {
          nonce = nextNonce ?? (await readNonce())
          market = await recentMarket()
        } catch (error) {
          logger.warn({ why: describeRpcError(error) }, 'the chain cannot be asked')
          return { kind: 'not_sent', why: 'the chain cannot be asked' }
        }
        nextNonce = undefined
        if (transaction.gas > market.blockGasLimit) return { kind: 'not_sent', why: 'it needs more gas than a block has' }
        const outcome = await mineAt(nonce, market.fees, transaction, announce)
        if (outcome.kind === 'mined') nextNonce = nonce + 1
        if (outcome.kind !== 'nonce_taken') return outcome
        logger.warn({ nonce }, 'another transaction took the nonce')
      }
    },
  }

  /** A second old at most; twice the base fee leaves room for that. */
  async function recentMarket(): Promise<Market> {
    if (known === undefined || Date.now() - known.readAt > FEES_KEPT_MS) {
      known = { ...(await readMarket(client, limits.maxFeePerGasWei)), readAt: Date.now() }
    }
    return known
  }

  async function readNonce(): Promise<number> {
    const deadline = Date.now() + limits.stuckAfterMs
    for (;;) {
      const [mined, pending] = await Promise.all([
        client.getTransactionCount({ address: account.address, blockTag: 'latest' }),
        client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      ])
      if (pending <= mined || Date.now() >= deadline) return mined
      await pause(SLOWEST_POLL_MS)
    }
  }

  async function mineAt(
    nonce: number,
    firstFees: Fees,
    transaction: PackedTransaction,
    announce: (hash: Hex) => void,
  ): Promise<SendOutcome | { kind: 'nonce_taken' }> {
    const sent = new Set<Hex>()
    let mayBeOnItsWay = false
    let fees = firstFees
    let doubts = 0
    for (let raises = 0; ; ) {
      const signed = await sign(nonce, fees, transaction)
      sent.add(signed.hash)
      announce(signed.hash)
      const verdict = await send(signed.raw)
      if (verdict === 'cannot_pay_gas' && !mayBeOnItsWay) return { kind: 'not_sent', why: 'the signer has no money for gas' }
      if (verdict === 'rejected' && !mayBeOnItsWay) return { kind: 'not_sent', why: 'the node takes no such transaction' }
      if (verdict === 'fees_too_low' && raises < MAX_RAISES_AT_ONCE && fees.maxFeePerGas < limits.maxFeePerGasWei) {
        // An older transaction of this nonce is in the pool, or the base fee has risen since it was read.
        raises += 1
        fees = raiseFees(fees, await readFeesOr(fees), limits.maxFeePerGasWei)
        continue
      }
      mayBeOnItsWay ||= verdict === 'accepted' || verdict === 'unsure'
      const found = await waitForAny(sent, nonce, verdict === 'accepted' ? limits.stuckAfterMs : resendAfterMs)
      if (found !== undefined) return found
      if (verdict !== 'accepted') {
        doubts += 1
        if (doubts < MAX_DOUBTS) continue
        if (!(await isInPool(sent))) return giveUp(signed.hash, mayBeOnItsWay)
      }
      doubts = 0
      raises = 0
      fees = raiseFees(fees, await readFeesOr(fees), limits.maxFeePerGasWei)
      observe.replaced()
      logger.warn({ nonce, transaction: signed.hash }, 'not mined in time, sending it again with higher fees')
    }
  }

  function giveUp(hash: Hex, mayBeOnItsWay: boolean): SendOutcome {
    logger.error({ transaction: hash }, 'no node takes the transaction, the account goes on without it')
    return mayBeOnItsWay ? { kind: 'lost', hash } : { kind: 'not_sent', why: 'no node took it for the fees that are allowed' }
  }

  /** Also false when the node cannot be asked. */
  async function isInPool(sent: ReadonlySet<Hex>): Promise<boolean> {
    const found = await Promise.all([...sent].map((hash) => client.getTransaction({ hash }).catch(() => undefined)))
    return found.some((transaction) => transaction !== undefined)
  }

  async function sign(nonce: number, fees: Fees, transaction: PackedTransaction): Promise<{ raw: Hex; hash: Hex }> {
    const raw = await account.signTransaction({ type: 'eip1559', chainId: CHAIN_ID, nonce, value: 0n, ...transaction, ...fees })
    // Known before it is sent, so that a lost answer loses nothing.
    return { raw, hash: keccak256(raw) }
  }

  async function send(raw: Hex): Promise<SendVerdict> {
    try {
      await client.request({ method: 'eth_sendRawTransaction', params: [raw] }, { retryCount: 0 })
      observe.sent()
      return 'accepted'
    } catch (error) {
      const verdict = sendVerdict(error)
      logger.warn({ verdict, why: describeRpcError(error) }, 'the node did not take the transaction')
      return verdict
    }
  }

  async function waitForAny(
    sent: ReadonlySet<Hex>,
    nonce: number,
    forMs: number,
  ): Promise<{ kind: 'mined'; receipt: TransactionReceipt } | { kind: 'nonce_taken' } | undefined> {
    const deadline = Date.now() + forMs
    let looksAtTaken = 0
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, SLOWEST_POLL_MS)) {
      const [count, ...receipts] = await Promise.all([readMinedCount(), ...[...sent].map(readReceipt)])
      const receipt = receipts.find((found) => found !== undefined)
      if (receipt !== undefined) return { kind: 'mined', receipt }
      if (count !== undefined && count > nonce) looksAtTaken += 1
      if (looksAtTaken >= LOOKS_BEFORE_TAKEN) return { kind: 'nonce_taken' }
      if (looksAtTaken === 0 && Date.now() >= deadline) return undefined
      await pause(looksAtTaken === 0 ? pollMs : SLOWEST_POLL_MS)
    }
  }

  async function readMinedCount(): Promise<number | undefined> {
    return client.getTransactionCount({ address: account.address, blockTag: 'latest' }).catch(() => undefined)
  }

  /** Undefined when there is none yet, or the node cannot be asked: both mean to look again. */
  async function readReceipt(hash: Hex): Promise<TransactionReceipt | undefined> {
    return client.getTransactionReceipt({ hash }).catch(() => undefined)
  }

  async function readFeesOr(fallback: Fees): Promise<Fees> {
    return readMarket(client, limits.maxFeePerGasWei).then(
      ({ fees }) => fees,
      () => fallback,
    )
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
