import type { Cluster } from '../cluster.ts'
import { rightsRefused } from '../guarded/rights-refused.ts'
import { auditCluster } from '../load/audit-cluster.ts'
import { type Facts, type Load, type Site, type StepResult, underLoad } from '../load/paid-load.ts'

/** One thing that an installation must survive. */
export type Step = {
  name: string
  /** `none`: no charged request may have reached the upstream twice. */
  repeats: 'none' | 'one each'
  run(cluster: Cluster, load: Load): Promise<Facts>
}

export function siteOf(cluster: Cluster): Site {
  const { beside, gatewayUrl } = cluster
  return {
    gateways: [gatewayUrl],
    payTo: beside.identity.payTo.address,
    rpcUrl: beside.rpcUrl,
    sandboxAdminUrl: beside.sandboxAdminUrl,
    fund: beside.fund,
    audit: (fromBlock) => auditCluster(cluster, fromBlock),
  }
}

export async function runStep(cluster: Cluster, step: Step): Promise<StepResult> {
  const { clients, seed } = cluster.options
  const options = { step: step.name, clients, seed, repeats: step.repeats }
  const result = await underLoad(siteOf(cluster), options, (load) => step.run(cluster, load))
  if (cluster.beside.guarded !== undefined) result.differences.push(...(await rightsRefused(cluster)))
  return result
}

/** Milliseconds that something took, beside what came of it. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startedMs = Date.now()
  const result = await work()
  return { ms: Date.now() - startedMs, result }
}
