import { type Kube, type KubeObject, RELEASE } from '../kube/kube.ts'

const NAME = 'turnpike-clients'

/** Where the clients of the tests reach the gateway. Made before the chart is installed, because answers name this address. */
export async function exposeGateway(kube: Kube, via: 'cluster-ip' | 'node-port'): Promise<string> {
  const service: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: kube.namespace },
    spec: {
      type: via === 'cluster-ip' ? 'ClusterIP' : 'NodePort',
      selector: { 'app.kubernetes.io/instance': RELEASE, 'app.kubernetes.io/component': 'gateway' },
      ports: [{ name: 'http', port: 80, targetPort: 'http' }],
    },
  }
  await kube.apply(service)
  const { spec } = await kube.get<{ spec: { clusterIP: string; ports: { nodePort?: number }[] } }>('service', NAME)
  if (via === 'cluster-ip') return `http://${spec.clusterIP}`
  const { items } = JSON.parse(await kube.kubectl(['get', 'nodes', '-o', 'json'])) as {
    items: { status: { addresses: { type: string; address: string }[] } }[]
  }
  const address = items[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address
  return `http://${address}:${spec.ports[0]?.nodePort}`
}
