import { type Cluster, labelsOf } from '../cluster.ts'
import type { KubeObject } from '../kube/kube.ts'
import type { Prober } from './reach.ts'
import { toolImage } from './tool-image.ts'

/** Runs a program of Node in a pod that looks like one of that component, and returns what it printed. */
export type RunInPod = (script: string, argument: unknown) => Promise<string>

/** A pod with the labels of a component, or of a stranger, for as long as the work lasts. */
export async function asPodOf<T>(cluster: Cluster, prober: Prober, work: (run: RunInPod) => Promise<T>): Promise<T> {
  const { kube } = cluster
  const name = `probe-${prober}`
  await kube.apply(proberPod(cluster, prober, name))
  try {
    await kube.kubectl(['wait', '--for=jsonpath={.status.phase}=Running', `pod/${name}`, '--timeout=60s'])
    return await work((script, argument) => kube.kubectl(['exec', name, '--', 'node', '-e', script, JSON.stringify(argument)]))
  } finally {
    await kube.kubectl(['delete', 'pod', name, '--ignore-not-found', '--timeout=60s'])
  }
}

/** Never ready, so no Service sends it anything although it has a component's labels. */
function proberPod({ kube, options }: Cluster, prober: Prober, name: string): KubeObject {
  const labels: Record<string, string> =
    prober === 'stranger' ? { 'turnpike-test/role': 'stranger' } : { 'app.kubernetes.io/name': 'turnpike', ...labelsOf(prober) }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: kube.namespace, labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'probe',
          image: toolImage(options),
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '-e', 'setInterval(() => {}, 1e6)'],
          readinessProbe: { exec: { command: ['node', '-e', 'process.exit(1)'] }, periodSeconds: 3_600 },
        },
      ],
    },
  }
}
