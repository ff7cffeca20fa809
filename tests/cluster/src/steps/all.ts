import { evictions } from './evictions.ts'
import { failingMigration } from './failing-migration.ts'
import { guardedWires } from './guarded-wires.ts'
import { helmTest } from './helm-test.ts'
import { kills } from './kill.ts'
import { networkPolicies } from './network-policies.ts'
import { paidRequests } from './paid-request.ts'
import { scaling } from './scaling.ts'
import type { Step } from './step.ts'
import { rollback, rollingUpgrade } from './upgrade.ts'

/** In their order: each finds the installation as the one before left it. */
export function stepsOf({ guarded }: { guarded: boolean }): readonly Step[] {
  return guarded ? [guardedWires, ...STEPS] : STEPS
}

const STEPS: readonly Step[] = [
  paidRequests,
  helmTest,
  networkPolicies,
  rollingUpgrade,
  rollback,
  failingMigration,
  evictions,
  kills,
  scaling,
]
