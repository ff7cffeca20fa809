import type { Cluster } from '../cluster.ts'
import { toolImage } from './tool-image.ts'

const NAME = 'node-killer'

/** Runs on the node and sees its processes: a container cannot be killed by anybody inside it. Prints how many were killed. */
const SCRIPT = `
const { readdirSync, readFileSync } = require('node:fs')
const uid = process.argv[1]
let killed = 0
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const group = readFileSync('/proc/' + pid + '/cgroup', 'utf8')
    const isPause = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0')[0].endsWith('pause')
    if (isPause || !(group.includes(uid) || group.includes(uid.replaceAll('-', '_')))) continue
    process.kill(Number(pid), 'SIGKILL')
    killed++
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
  }
}
console.log(killed)
`

/** Kills everything that runs in a pod, at once. Needs a namespace that lets a pod see its node's processes. */
export async function killOnNode(cluster: Cluster, podUid: string): Promise<number> {
  const { kube } = cluster
  const { metadata } = await ensureKiller(cluster)
  return Number(await kube.kubectl(['exec', metadata.name, '--', 'node', '-e', SCRIPT, podUid]))
}

async function ensureKiller({ kube, options }: Cluster): Promise<{ metadata: { name: string } }> {
  const { namespace } = kube
  await kube.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace, labels: { 'turnpike-test/role': NAME } },
    spec: {
      hostPID: true,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: NAME,
          image: toolImage(options),
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '-e', 'setInterval(() => {}, 1e6)'],
          securityContext: { runAsUser: 0, privileged: true },
        },
      ],
    },
  })
  await kube.kubectl(['wait', '--for=condition=Ready', `pod/${NAME}`, '--timeout=60s'])
  return { metadata: { name: NAME } }
}
