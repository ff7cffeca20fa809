import { join } from 'node:path'
import type { Beside } from './beside/start-beside.ts'
import type { Component } from './install/values.ts'
import type { Helm, Values } from './kube/helm.ts'
import { isReady, type Kube, type Pod, RELEASE } from './kube/kube.ts'
import type { Options } from './options.ts'

export const CHECKOUT = join(import.meta.dirname, '..', '..', '..')
export const CHART = join(CHECKOUT, 'infra', 'helm', 'turnpike')

/** An installation and everything around it, as every step gets it. */
export type Cluster = {
  options: Options
  kube: Kube
  helm: Helm
  beside: Beside
  gatewayUrl: string
  /** What was installed first; each step's changes are put on top. */
  values: Values
  say(line: string): void
}

export function labelsOf(component: Component): Record<string, string> {
  return { 'app.kubernetes.io/instance': RELEASE, 'app.kubernetes.io/component': component }
}

/** Those of a component that live, ready or not. */
export async function podsOf({ kube }: Pick<Cluster, 'kube'>, component: Component): Promise<Pod[]> {
  const pods = await kube.pods(labelsOf(component))
  return pods.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
}

export async function readyPods(cluster: Pick<Cluster, 'kube'>, component: Component): Promise<Pod[]> {
  return (await podsOf(cluster, component)).filter(isReady)
}
