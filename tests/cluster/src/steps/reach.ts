import { COMPONENTS, type Component } from '../install/values.ts'

/** Things that a pod may try to reach. */
export const TARGETS = [
  'kafka',
  'postgres',
  'redis',
  's3',
  'chainRpc',
  'upstreams',
  'ledger',
  'facilitator',
  'gateway',
  'kube-api',
] as const
export type Target = (typeof TARGETS)[number]
/** Who tries: a pod labelled as that component, or one that is no part of the installation. */
export type Prober = Component | 'stranger'
export const PROBERS: readonly Prober[] = [...COMPONENTS, 'stranger']

const MAY: Record<Component, readonly Target[]> = {
  gateway: ['kafka', 'redis', 's3', 'chainRpc', 'ledger', 'facilitator'],
  ledger: ['postgres', 'kafka', 'redis', 's3', 'chainRpc', 'facilitator'],
  'text-worker': ['kafka', 'redis', 's3', 'upstreams'],
  'media-worker': ['kafka', 'redis', 's3', 'upstreams'],
  'transcription-worker': ['kafka', 'redis', 's3', 'upstreams'],
  facilitator: ['chainRpc'],
  auditor: ['gateway', 'ledger', 's3', 'chainRpc'],
}
/** The stranger's own way out is free: what it cannot reach refuses it, and what it can shows that there was something to reach. */
const OURS: readonly Target[] = ['ledger', 'facilitator', 'gateway']

/** As the architecture says who reaches what. */
export function mayReach(prober: Prober, target: Target): boolean {
  return prober === 'stranger' ? !OURS.includes(target) : MAY[prober].includes(target)
}

export type Probe = { prober: Prober; target: Target; saw: string }

/** `connected` and `timeout` are answers; anything else means that the probe could not run. */
export function judgeProbes(probes: readonly Probe[]): { allowed: number; blocked: number; differences: string[] } {
  const differences: string[] = []
  let allowed = 0
  let blocked = 0
  for (const { prober, target, saw } of probes) {
    const expected = mayReach(prober, target) ? 'connected' : 'timeout'
    if (saw !== 'connected' && saw !== 'timeout') differences.push(`${prober} could not try ${target}: ${saw}`)
    else if (saw !== expected) differences.push(`${prober} ${saw === 'connected' ? 'reaches' : 'cannot reach'} ${target}`)
    else if (saw === 'connected') allowed++
    else blocked++
  }
  return { allowed, blocked, differences }
}
