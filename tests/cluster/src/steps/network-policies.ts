import type { Cluster } from '../cluster.ts'
import { RELEASE } from '../kube/kube.ts'
import { asPodOf } from './prober-pod.ts'
import { judgeProbes, PROBERS, type Probe, type Prober, TARGETS, type Target } from './reach.ts'
import type { Step } from './step.ts'

const CONNECT_MS = 3_000
/** Policies count for a new pod after a moment: until then what they block is reached. */
const SETTLE_MS = 30_000

/** Tries every address at once and prints what each attempt came to. */
const SCRIPT = `
const { connect } = require('node:net')
const targets = JSON.parse(process.argv[1])
const attempt = ([name, host, port]) => new Promise((done) => {
  const socket = connect({ host, port })
  const end = (saw) => { socket.destroy(); done([name, saw]) }
  socket.setTimeout(${CONNECT_MS}, () => end('timeout'))
  socket.once('connect', () => end('connected'))
  socket.once('error', (error) => end(error.code === 'ETIMEDOUT' ? 'timeout' : error.code))
})
Promise.all(targets.map(attempt)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))))
`

/** A pod with the labels of each component tries to reach everything: it reaches what that component needs and nothing else. */
export const networkPolicies: Step = {
  name: 'network policies',
  repeats: 'none',
  async run(cluster) {
    const targets = await addresses(cluster)
    const probes: Probe[] = []
    for (const prober of PROBERS) probes.push(...(await probeAs(cluster, prober, targets)))
    const { allowed, blocked, differences } = judgeProbes(probes)
    if (differences.length > 0) throw new Error(differences.join('; '))
    return { allowed, blocked }
  },
}

type Address = readonly [Target, string, number]

async function addresses({ kube, beside, options }: Cluster): Promise<Address[]> {
  const service = async (name: Target, port: 'http' | 'internal'): Promise<Address> => {
    const { spec } = await kube.get<{ spec: { clusterIP: string; ports: { name: string; port: number }[] } }>(
      'service',
      `${RELEASE}-${name}`,
    )
    const found = spec.ports.find((each) => each.name === port) ?? spec.ports[0]
    // A Service without an address is asked by its name.
    const host = spec.clusterIP === 'None' ? `${RELEASE}-${name}` : spec.clusterIP
    return [name, host, found?.port ?? 0]
  }
  const api = JSON.parse(await kube.kubectl(['get', 'service', 'kubernetes', '--namespace', 'default', '-o', 'json'])) as {
    spec: { clusterIP: string; ports: { port: number }[] }
  }
  const outside = (name: Extract<Target, keyof typeof beside.ports>): Address => [
    name,
    options.besideHost,
    beside.ports[name][0] ?? 0,
  ]
  return [
    ...(['kafka', 'postgres', 'redis', 's3', 'chainRpc', 'upstreams'] as const).map(outside),
    await service('ledger', 'internal'),
    await service('facilitator', 'http'),
    await service('gateway', 'http'),
    ['kube-api', api.spec.clusterIP, api.spec.ports[0]?.port ?? 443],
  ]
}

async function probeAs(cluster: Cluster, prober: Prober, targets: readonly Address[]): Promise<Probe[]> {
  return await asPodOf(cluster, prober, async (run) => {
    const untilMs = Date.now() + SETTLE_MS
    for (;;) {
      const saw = JSON.parse(await run(SCRIPT, targets)) as Record<Target, string>
      const probes = TARGETS.map((target) => ({ prober, target, saw: saw[target] }))
      if (judgeProbes(probes).differences.length === 0 || Date.now() > untilMs) return probes
    }
  })
}
