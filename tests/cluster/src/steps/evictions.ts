import { until } from '@turnpike/testing'
import { type Cluster, readyPods } from '../cluster.ts'
import { COMPONENTS, type Component } from '../install/values.ts'
import type { Step } from './step.ts'

const BACK_MS = 180_000

/** A node's drain, pod by pod: one of a component may go at a time, the next is refused until its successor is ready. */
export const evictions: Step = {
  name: 'evictions',
  repeats: 'none',
  async run(cluster) {
    let granted = 0
    let refused = 0
    for (const component of COMPONENTS) {
      const counts = await drain(cluster, component)
      granted += counts.granted
      refused += counts.refused
    }
    return { granted, refused }
  },
}

async function drain(cluster: Cluster, component: Component): Promise<{ granted: number; refused: number }> {
  const pods = await readyPods(cluster, component)
  const wanted = pods.length
  let granted = 0
  let refused = 0
  for (const { metadata } of pods) {
    const isSecond = granted > 0
    if (isSecond) {
      // At once after the first, whose successor cannot be ready yet.
      const answer = await evict(cluster, metadata.name)
      if (answer !== 'refused') throw new Error(`the second eviction of ${component} was ${answer}, not refused by its budget`)
      refused++
      await until(`${component} has its pods back`, async () => (await readyPods(cluster, component)).length === wanted, BACK_MS)
    }
    await until(`the budget lets ${metadata.name} go`, async () => (await evict(cluster, metadata.name)) === 'granted', BACK_MS)
    granted++
  }
  await until(`${component} has its pods back`, async () => (await readyPods(cluster, component)).length === wanted, BACK_MS)
  return { granted, refused }
}

async function evict({ kube }: Cluster, name: string): Promise<'granted' | 'refused'> {
  const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: kube.namespace } })
  const path = `/api/v1/namespaces/${kube.namespace}/pods/${name}/eviction`
  const { status, stderr } = await kube.tryKubectl(['create', '--raw', path, '-f', '-'], { input })
  if (status === 0) return 'granted'
  if (/disruption budget/.test(stderr)) return 'refused'
  throw new Error(`the eviction of ${name} could not be tried: ${stderr.trim()}`)
}
