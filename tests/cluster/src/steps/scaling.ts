import { until } from '@turnpike/testing'
import { type Cluster, readyPods } from '../cluster.ts'
import { merged, of } from '../install/values.ts'
import type { Step } from './step.ts'

const MOST = 3
const BUYERS = 20
// Long answers, not many of them, make the lag: the lag then stands while workers start, and costs the machine nothing.
const SLOW_MS = 20_000
const LAG_PER_REPLICA = 6
const DRAIN_SECONDS = 30
// Longer than a worker takes to become ready, else a lull in between takes it away before it has done anything.
const SCALE_DOWN_SECONDS = 60
const KEDA_MS = 420_000
const UP_MS = 180_000
const DOWN_MS = 420_000

/**
 * KEDA on the real lag of the job topic: many buyers of slow answers bring more text workers, and when they have left, the workers go one
 * by one while others go on buying. Whoever goes finishes what it has, so no charged request reaches the upstream twice.
 */
export const scaling: Step = {
  name: 'scaling by lag',
  repeats: 'none',
  async run(cluster, load) {
    await until('KEDA answers (this step needs it)', () => kedaAnswers(cluster), KEDA_MS)
    const autoscaling = {
      ...{ enabled: true, minReplicas: 1, maxReplicas: MOST, lagPerReplica: LAG_PER_REPLICA },
      ...{ pollingSeconds: 2, scaleDownSeconds: SCALE_DOWN_SECONDS },
    }
    await cluster.helm.upgrade(merged(cluster.values, of('text-worker', { autoscaling, drainSeconds: DRAIN_SECONDS })))
    const replicas = replicasSeen(cluster)
    try {
      await until('one text worker is enough for little', async () => (await wanted(cluster)) === 1, DOWN_MS)
      await load.upstream.slowText(SLOW_MS)
      const upFrom = Date.now()
      const buyers = load.crowd.join(BUYERS, ['text'])
      await until(`${MOST} text workers`, async () => (await readyPods(cluster, 'text-worker')).length === MOST, UP_MS)
      const upSeconds = secondsSince(upFrom)
      await load.untilPaid(BUYERS)
      await buyers.leave()
      await load.upstream.answerAsUsual()
      const downFrom = Date.now()
      await until('one text worker again', async () => (await livingWorkers(cluster)) === 1, DOWN_MS)
      return {
        up: `1 to ${MOST} in ${upSeconds} s`,
        down: `${MOST} to 1 in ${secondsSince(downFrom)} s`,
        seen: replicas.list().join(' '),
      }
    } finally {
      replicas.stop()
      await cluster.helm.upgradeOverAutoscaler(cluster.values)
    }
  },
}

async function wanted({ kube }: Cluster): Promise<number> {
  const { spec } = await kube.get<{ spec: { replicas: number } }>('deployment', 'turnpike-text-worker')
  return spec.replicas
}

async function livingWorkers({ kube }: Cluster): Promise<number> {
  const { status } = await kube.get<{ status: { replicas?: number } }>('deployment', 'turnpike-text-worker')
  return status.replicas ?? 0
}

/** The number of workers that were wanted, each time it changed. */
function replicasSeen(cluster: Cluster): { list(): readonly number[]; stop(): void } {
  const seen: number[] = []
  const timer = setInterval(() => {
    void wanted(cluster).then(
      (count) => {
        if (seen.at(-1) !== count) seen.push(count)
      },
      () => {},
    )
  }, 2_000)
  return { list: () => seen, stop: () => clearInterval(timer) }
}

function secondsSince(ms: number): number {
  return Math.round((Date.now() - ms) / 1_000)
}

/** It serves the metric that the autoscaler reads. */
async function kedaAnswers({ kube }: Cluster): Promise<boolean> {
  const { stdout } = await kube.tryKubectl(['get', 'apiservice', 'v1beta1.external.metrics.k8s.io', '-o', 'json'])
  if (stdout === '') return false
  const { status } = JSON.parse(stdout) as { status?: { conditions?: { type: string; status: string }[] } }
  return status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') === true
}
