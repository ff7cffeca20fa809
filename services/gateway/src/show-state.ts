import type { TotalClaims } from '@turnpike/admission'
import { type Publisher, showPublisher } from '@turnpike/kafka'
import type { AdmissionGate } from './admission-gate.ts'
import type { ClosedModels } from './closed-models.ts'
import type { BodyRoom } from './http/byte-budget.ts'
import type { LedgerClient } from './ledger/ledger-client.ts'
import type { GatewayMetrics } from './metrics.ts'

const ATOMIC_PER_USDC = 1e6

/** What the gateway holds at the moment of a scrape. */
export function showState(
  metrics: GatewayMetrics,
  state: {
    gate: Pick<AdmissionGate, 'inFlight' | 'states'>
    maxInFlight: number
    closedModels: Pick<ClosedModels, 'closure'>
    models: readonly string[]
    total: Pick<TotalClaims, 'sum'>
    totalExposureCeilingAtomic: bigint
    bodies: BodyRoom
    ledger: Pick<LedgerClient, 'waiting'>
    publisher: Pick<Publisher, 'queued' | 'state'>
  },
): void {
  metrics.admitted.readBy((gauge) => gauge.set({}, state.gate.inFlight()))
  metrics.admittedCeiling.set({}, state.maxInFlight)
  metrics.dependencyUp.readBy((gauge) => {
    for (const [dependency, up] of Object.entries(state.gate.states())) gauge.set({ dependency }, up ? 1 : 0)
  })
  metrics.modelClosed.readBy((gauge) => {
    for (const model of state.models) gauge.set({ model }, state.closedModels.closure(model) === undefined ? 0 : 1)
  })
  metrics.exposure.readBy(async (gauge) => gauge.set({}, Number(await state.total.sum()) / ATOMIC_PER_USDC))
  metrics.exposureCeiling.set({}, Number(state.totalExposureCeilingAtomic) / ATOMIC_PER_USDC)
  metrics.largeBodyBytes.readBy((gauge) => gauge.set({}, state.bodies.large.takenBytes()))
  metrics.largeBodiesWaiting.readBy((gauge) => gauge.set({}, state.bodies.large.waiting()))
  metrics.smallBodyBytes.readBy((gauge) => gauge.set({}, state.bodies.small.taken()))
  metrics.lookupsWaiting.readBy((gauge) => gauge.set({}, state.ledger.waiting()))
  showPublisher(metrics, state.publisher)
}
