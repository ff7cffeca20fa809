import { AUTHORIZATION_USED_TOPIC, type ExpectedTransfer, type MinedLog, USDC_ADDRESS } from '@turnpike/payments'

/** AuthorizationUsed(payer, nonce) and the log directly after it: all that one transfer wrote into a transaction it may share. */
export function ownLogs<Log extends MinedLog>(logs: readonly Log[], transfer: ExpectedTransfer): Log[] {
  const used = logs.find(
    ({ address, topics }) =>
      address.toLowerCase() === USDC_ADDRESS.toLowerCase() &&
      topics[0] === AUTHORIZATION_USED_TOPIC &&
      topics[1]?.slice(-40).toLowerCase() === transfer.payer.slice(2).toLowerCase() &&
      topics[2]?.toLowerCase() === transfer.nonce.toLowerCase(),
  )
  return used === undefined ? [] : logs.filter(({ logIndex }) => logIndex === used.logIndex || logIndex === used.logIndex + 1)
}
