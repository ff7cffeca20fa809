// pnpm --dir infra/helm run schemas: makes the schemas of ../schemas anew, from the Go modules of their projects. They are committed, so that
// checking the chart needs no network. Only the kinds that the chart renders are taken. Needs Go and the module proxy.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Json, type JsonObject, strictSchema } from './strict-schema.ts'

const draft = 'http://json-schema.org/draft-07/schema#'
const out = join(import.meta.dirname, '../schemas')
const modules = {
  kubernetes: 'k8s.io/kubernetes@v1.36.3',
  keda: 'github.com/kedacore/keda/v2@v2.21.0',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
  gateway: 'sigs.k8s.io/gateway-api@v1.6.3',
}
const builtIn = {
  'io.k8s.api.core.v1': ['ConfigMap', 'Pod', 'Service', 'ServiceAccount'],
  'io.k8s.api.apps.v1': ['Deployment', 'StatefulSet'],
  'io.k8s.api.batch.v1': ['Job'],
  'io.k8s.api.policy.v1': ['PodDisruptionBudget'],
  'io.k8s.api.networking.v1': ['Ingress', 'NetworkPolicy'],
  'io.k8s.api.autoscaling.v2': ['HorizontalPodAutoscaler'],
}
const custom = [
  ['keda', 'config/crd/bases/keda.sh_scaledobjects.yaml'],
  ['keda', 'config/crd/bases/keda.sh_triggerauthentications.yaml'],
  ['prometheus', 'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml'],
  ['prometheus', 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'],
  ['prometheus', 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml'],
  ['gateway', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
] as const

const scratch = mkdtempSync(join(tmpdir(), 'turnpike-schemas-'))
try {
  writeFileSync(join(scratch, 'go.mod'), 'module schemas\n')
  mkdirSync(out, { recursive: true })
  for (const file of readdirSync(out)) rmSync(join(out, file))
  writeBuiltIn(folderOf('kubernetes'))
  for (const [module, file] of custom) writeCustom(join(folderOf(module), file))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function folderOf(module: keyof typeof modules): string {
  const described = execFileSync('go', ['mod', 'download', '-json', modules[module]], { cwd: scratch, encoding: 'utf8' })
  return (JSON.parse(described) as { Dir: string }).Dir
}

/** Each kind with the definitions that it reaches. */
function writeBuiltIn(folder: string): void {
  const swagger = JSON.parse(readFileSync(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')) as {
    definitions: Record<string, Json>
  }
  for (const [group, kinds] of Object.entries(builtIn)) {
    for (const kind of kinds) {
      const definitions: JsonObject = {}
      const take = (name: string) => {
        if (name in definitions) return
        const definition = swagger.definitions[name]
        if (definition === undefined) throw new Error(`${name} is not defined`)
        // First, so that a definition which reaches itself ends.
        definitions[name] = {}
        definitions[name] = strictSchema(definition, take)
      }
      take(`${group}.${kind}`)
      const [, , , apiGroup, version] = group.split('.')
      const name = apiGroup === 'core' ? `${kind}-${version}` : `${kind}-${groupPrefix(apiGroup)}-${version}`
      write(name, { $schema: draft, $ref: `#/definitions/${group}.${kind}`, definitions })
    }
  }
}

function writeCustom(file: string): void {
  const { spec } = parse(readFileSync(file, 'utf8')) as CustomResourceDefinition
  const version = spec.versions.find(({ storage }) => storage)
  if (version === undefined) throw new Error(`${file} stores no version`)
  const schema = strictSchema(version.schema.openAPIV3Schema) as JsonObject
  // The API server's own fields; a custom resource says no more of them than "object".
  write(`${spec.names.kind}-${groupPrefix(spec.group)}-${version.name}`, { $schema: draft, ...schema })
}

type CustomResourceDefinition = {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Json } }[]
  }
}

/** As kubeconform's `{{.Group}}` would have it: the first label of the group. */
function groupPrefix(group: string | undefined): string {
  return (group ?? '').split('.')[0] ?? ''
}

function write(name: string, schema: JsonObject): void {
  writeFileSync(join(out, `${name.toLowerCase()}.json`), `${JSON.stringify(schema)}\n`)
}
