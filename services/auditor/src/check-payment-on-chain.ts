import type { AuditPayment } from '@turnpike/contracts'
import { type ChainRpc, type Hex, type TransactionFinding, verifyTransaction } from '@turnpike/payments'
import type { BlockRange, RefundDue } from './audit-book.ts'
import { compareRows } from './compare-rows.ts'
import type { Difference, DifferenceCode, Place } from './differences.ts'
import { AuditImpossible } from './http-json.ts'
import { idsOf } from './judge-transfer.ts'

type Deps = { rpc: ChainRpc; confirmations: number; payTo: string }
type Found = { differences: Difference[]; refund?: RefundDue }

const TRANSACTION = /^0x[0-9a-f]{64}$/

/**
 * A payment that the ledger calls settled, or void with a late transfer, and that no transfer of the audited blocks led to. Mostly its
 * transfer is in a block before or after them; asked by its transaction, the chain tells.
 */
export async function checkPaymentOnChain(deps: Deps, range: BlockRange, payment: AuditPayment): Promise<Found> {
  const isLate = payment.state === 'void'
  const code: DifferenceCode = isLate ? 'late_transfer_not_on_chain' : 'settled_without_transfer'
  const transaction = isLate ? payment.lateTransaction : payment.transaction
  const { payer, nonce } = payment
  const place: Place = { payer, nonce, ...(transaction === null ? {} : { transaction }), ...idsOf(payment) }
  const differ = (detail: string): Found => ({ differences: [{ code, detail, ...place }] })
  if (transaction === null) return differ('no transaction is named')
  if (!TRANSACTION.test(transaction) || !TRANSACTION.test(nonce)) return differ('its transaction or nonce is no hash')

  const finding = await verifyTransaction(deps.rpc, transaction as Hex, {
    payer: payer as Hex,
    nonce: nonce as Hex,
    payTo: payment.payTo,
    amountAtomic: BigInt(payment.amountAtomic),
    confirmations: deps.confirmations,
  })
  switch (finding.kind) {
    case 'settled':
      return settledElsewhere(deps, range, payment, finding)
    case 'unconfirmed':
      // Newer than the audited blocks: the next audit has it.
      return { differences: [] }
    case 'not_found':
      return differ('the chain does not know its transaction')
    case 'untouched':
      return differ('its transaction did not use its authorization')
    case 'spent_elsewhere':
      return differ('its transaction used its authorization for another transfer')
    case 'unavailable':
      throw new AuditImpossible(`the chain cannot be asked: ${finding.why}`)
  }
}

function settledElsewhere(
  { payTo }: Deps,
  { from, to }: BlockRange,
  payment: AuditPayment,
  { transaction, blockNumber }: Extract<TransactionFinding, { kind: 'settled' }>,
): Found {
  const { payer, nonce } = payment
  const amountAtomic = BigInt(payment.amountAtomic)
  const isOurs = payment.payTo.toLowerCase() === payTo.toLowerCase()
  // Its log was not among those of its own block: replicas of the node disagree, and nothing it says can be relied on.
  if (isOurs && blockNumber >= from && blockNumber <= to) throw new AuditImpossible('the node contradicts itself')
  if (payment.state === 'void') {
    const refund = { payer, nonce, transaction, blockNumber, ...idsOf(payment), amountAtomic, isListed: true }
    return { differences: [], refund }
  }
  return { differences: compareRows(payment, { payer, nonce, amountAtomic, transaction, blockNumber }) }
}
