/** What the tests look at in a rendered object; the rest stays unknown. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels: Record<string, string>; annotations?: Record<string, string> }
  spec?: Record<string, unknown>
  data?: Record<string, string>
}
export type Variable = { name: string; value?: string; valueFrom?: unknown }
export type Probe = { httpGet: { path: string; port: string; scheme: string } }
export type Container = {
  name: string
  image: string
  command?: string[]
  args?: string[]
  env: Variable[]
  ports?: { name: string; containerPort: number }[]
  resources: Record<'requests' | 'limits', Record<string, string>>
  securityContext: Record<string, unknown>
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean; subPathExpr?: string }[]
  startupProbe?: Probe
  readinessProbe?: Probe
  livenessProbe?: Probe
  lifecycle?: { preStop: { sleep: { seconds: number } } }
}
export type SecretSource = { name: string; items: { key: string; path: string }[] }
export type Volume = { name: string; projected?: { sources: { secret?: SecretSource; configMap?: SecretSource }[] } }
export type PodSpec = {
  containers: Container[]
  volumes: Volume[]
  serviceAccountName: string
  automountServiceAccountToken: boolean
  securityContext: Record<string, unknown>
  terminationGracePeriodSeconds: number
  topologySpreadConstraints: { topologyKey: string; whenUnsatisfiable: string }[]
}
export type Pod = { component: string; kind: string; spec: PodSpec; container: Container; labels: Record<string, string> }

type Template = { metadata: { labels: Record<string, string> }; spec: PodSpec }

/** Everything that becomes a pod. */
export function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap((manifest) => {
    const template = templateOf(manifest)
    const [container, ...others] = template?.spec.containers ?? []
    if (template === undefined || container === undefined) return []
    if (others.length > 0) throw new Error(`${manifest.metadata.name} has several containers`)
    const { labels } = template.metadata
    return [
      { component: labels['app.kubernetes.io/component'] ?? '', kind: manifest.kind, spec: template.spec, container, labels },
    ]
  })
}

function templateOf(manifest: Manifest): Template | undefined {
  if (manifest.kind === 'Pod') return { metadata: manifest.metadata, spec: manifest.spec as unknown as PodSpec }
  return manifest.spec?.template as Template | undefined
}

export function podOf(manifests: readonly Manifest[], component: string): Pod {
  const pod = podsOf(manifests).find((each) => each.component === component)
  if (pod === undefined) throw new Error(`there is no pod of ${component}`)
  return pod
}

export function ofKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind)
}

/** Variables by name, those that are read from a file under the name that they stand for. */
export function environmentOf(container: Container): Map<string, string> {
  return new Map(container.env.map(({ name, value }) => [name.replace(/_FILE$/, ''), value ?? '']))
}
