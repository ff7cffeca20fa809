import type { KeyClaims, PayerClaims, ReleaseAnnouncer, ReleaseSignal, TotalClaims } from '@turnpike/admission'
import type { Catalog } from '@turnpike/catalog'
import type { Publisher } from '@turnpike/kafka'
import type { ChainRpc, FacilitatorClient } from '@turnpike/payments'
import type { Keyring } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import type { StagedAudio } from '@turnpike/storage/staged-audio'
import type { AdmissionGate } from '../admission-gate.ts'
import type { ClosedModels } from '../closed-models.ts'
import type { BodyRoom } from '../http/byte-budget.ts'
import type { LedgerClient } from '../ledger/ledger-client.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { SafetyCheck } from '../safety/safety-check.ts'
import type { BodyReader } from './body-reader.ts'
import type { PayerBalances } from './payer-balances.ts'
import type { PayerCode } from './payer-code.ts'

/** What the paid lifecycle works with. */
export type PaidDeps = {
  catalog: Catalog
  payTo: string
  contentKeys: Keyring
  providerTimeoutMs: number | undefined
  waitBeyondDeadlineMs: number
  waitForUnknownSettlementMs: number
  keys: KeyClaims
  payers: PayerClaims
  total: TotalClaims
  newPayerExposureCeilingAtomic: bigint
  totalExposureCeilingAtomic: bigint
  /** The operator's own checks; none by default. */
  safety: readonly SafetyCheck[]
  balances: PayerBalances
  payerCode: PayerCode
  announcer: ReleaseAnnouncer
  releases: ReleaseSignal
  ledger: LedgerClient
  facilitator: FacilitatorClient
  rpc: ChainRpc
  publisher: Publisher
  store: ObjectStore
  /** Undefined where no transcription model is offered. */
  staging: StagedAudio | undefined
  gate: AdmissionGate
  closedModels: Pick<ClosedModels, 'closure'>
  bodies: BodyRoom
  bodyReader: BodyReader
  metrics: GatewayMetrics
  logger: Logger
  now(): number
}

/** One exchange with a client. */
export type Exchange = { requestId: string; traceparent: string; signal: AbortSignal; log: Logger }
