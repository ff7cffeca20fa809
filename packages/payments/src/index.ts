export { authorizationDigest, DOMAIN_SEPARATOR } from './authorization-digest.ts'
export { HEADER_LIMITS } from './base64-json.ts'
export { type ChainRpc, hasCode, openChainRpc, readBlockNumber, readUsdcBalance } from './chain-rpc.ts'
export { type AuthorizationCheck, type AuthorizationRefusal, checkAuthorization } from './check-authorization.ts'
export { type ContractSignatureCheck, verifyContractSignature } from './contract-signature.ts'
export { isContractVerdict } from './contract-verdict.ts'
export {
  type FacilitatorClient,
  type NoAnswer,
  openFacilitatorClient,
  type SettleInput,
  type SettleResponse,
  type SettleResult,
  type SupportedResponse,
  type VerifyResult,
} from './facilitator-client.ts'
export { REFUSAL_REASONS, type RefusalReason, refusalReason, TRANSFER_GAS_LIMIT_EXCEEDED } from './facilitator-reasons.ts'
export {
  type ExpectedSettlement,
  findSettlement,
  type SettlementFinding,
  type TransactionFinding,
  verifyTransaction,
} from './find-settlement.ts'
export {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  encodePaymentSignatureHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
} from './headers.ts'
export {
  type Authorization,
  type ParsedPayment,
  type Payment,
  type PaymentHeaderDefect,
  type PaymentPayload,
  parsePayment,
  parsePaymentRequirements,
  parsePaymentSignature,
} from './payment-signature.ts'
export {
  INSPECTION_EXTRA,
  type PaymentRequired,
  type PaymentRequirements,
  paymentRequired,
  paymentRequirements,
  type RequirementsMismatch,
  type ResourceInfo,
  requirementsMismatch,
} from './requirements.ts'
export {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  type AuthorizationUse,
  type ExpectedTransfer,
  type MinedLog,
  TRANSFER_TOPIC,
  useInLogs,
} from './settlement-logs.ts'
export { type TransferToSeller, transfersInLogs, transfersToSeller } from './transfers-to-seller.ts'
export { CHAIN_ID, type Hex, NETWORK, USDC_ABI, USDC_ADDRESS, USDC_DOMAIN } from './usdc.ts'
export { type LocalSignatureCheck, type SignatureDefect, verifySignatureLocally } from './verify-signature.ts'
