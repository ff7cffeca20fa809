import { until } from '@turnpike/testing'
import { type Cluster, readyPods } from '../cluster.ts'
import { COMPONENTS, type Component } from '../install/values.ts'
import { killOnNode } from './node-killer.ts'
import type { Step } from './step.ts'

const BACK_MS = 180_000

/** SIGKILL to the process of one pod of each component while it has work. A job that it had is executed once more, never charged twice. */
export const kills: Step = {
  name: 'kill -9',
  repeats: 'one each',
  async run(cluster, load) {
    let killed = 0
    for (const component of COMPONENTS) {
      await load.untilPaid(3)
      killed += await killOne(cluster, component)
      await load.untilPaid(3)
    }
    return { killed }
  },
}

async function killOne(cluster: Cluster, component: Component): Promise<number> {
  const [pod] = await readyPods(cluster, component)
  if (pod === undefined) throw new Error(`no pod of ${component} is ready`)
  const { name, uid } = pod.metadata
  const restarts = restartsOf(pod)
  const processes = await killOnNode(cluster, uid)
  if (processes === 0) throw new Error(`nothing of ${name} was found on its node`)
  await until(
    `${name} is back`,
    async () => (await readyPods(cluster, component)).some((now) => now.metadata.uid === uid && restartsOf(now) > restarts),
    BACK_MS,
  )
  return 1
}

function restartsOf({ status }: { status: { containerStatuses?: { restartCount: number }[] } }): number {
  return (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0)
}
