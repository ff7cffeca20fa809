import { type Cluster, podsOf } from '../cluster.ts'
import { COMPONENTS, merged, restarted, writing } from '../install/values.ts'
import type { Facts } from '../load/paid-load.ts'
import { type Step, timed } from './step.ts'

/** Replaces every pod, and has the newer schema of events written: both are read and written while it goes on. */
export const rollingUpgrade: Step = {
  name: 'rolling upgrade',
  repeats: 'none',
  run: (cluster) =>
    replacingEveryPod(cluster, () => cluster.helm.upgrade(merged(cluster.values, writing('current'), restarted('upgraded')))),
}

/** Back to the revision before, and to the older schema. */
export const rollback: Step = {
  name: 'rollback',
  repeats: 'none',
  run: (cluster) =>
    replacingEveryPod(cluster, async () => {
      const revision = await cluster.helm.revision()
      await cluster.helm.rollback(revision - 1)
    }),
}

async function replacingEveryPod(cluster: Cluster, change: () => Promise<void>): Promise<Facts> {
  const before = await uids(cluster)
  const { ms } = await timed(change)
  const after = await uids(cluster)
  const kept = [...after].filter((uid) => before.has(uid))
  if (kept.length > 0) throw new Error(`${kept.length} of ${after.size} pods are still the ones from before`)
  return { helmSeconds: Math.round(ms / 100) / 10, podsReplaced: after.size }
}

export async function uids(cluster: Pick<Cluster, 'kube'>): Promise<Set<string>> {
  const pods = await Promise.all(COMPONENTS.map((component) => podsOf(cluster, component)))
  return new Set(pods.flat().map(({ metadata }) => metadata.uid))
}
