import { setTimeout as pause } from 'node:timers/promises'
import type { Crowd, PaidRequest } from '@turnpike/crowd'
import { part } from '@turnpike/local'
import { until } from '@turnpike/testing'
import type { Fault, PartName, Service } from './fault.ts'
import type { FaultyStack } from './faulty-stack.ts'
import { flushRedis } from './flush-redis.ts'
import { nonceIn } from './moments.ts'
import { signalFamily } from './process-family.ts'
import type { Upstream } from './upstream.ts'
import { nodeLies, settleLies, verifyLies } from './wrong-answers.ts'

export type FaultDeps = { stack: FaultyStack; crowd: Crowd; upstream: Upstream }

export type Begun = {
  /** Paid requests that the fault itself touched, for faults that pick their own. */
  touched(): PaidRequest[]
  /** Whoever was struck comes back by itself: recovery counts from the strike. */
  healsItself: boolean
  heal(): Promise<void>
}

// A start is seconds of processor time, which a starved machine gives in minutes.
const SELF_HEALING_MS = 150_000
const LATE_MS = 2_500

/** Strikes. What it returns undoes it. `caught` is a request that waits where the fault is wanted. */
export async function beginFault(deps: FaultDeps, fault: Fault, caught: PaidRequest | undefined): Promise<Begun> {
  const { stack, crowd, upstream } = deps
  switch (fault.kind) {
    case 'service':
      return strikeService(deps, fault, caught)
    case 'part':
      return strikePart(deps, fault)
    case 'flush':
      await flushRedis(stack.handle.stack.redisUrl)
      return begun({ healsItself: true })
    case 'upstream': {
      const { vendor, does, times } = fault
      const before = new Set(upstream.calls().map(({ n }) => n))
      const ms = does === 'latency' ? LATE_MS : does === 'hang' ? 3 * LATE_MS : 200
      await upstream.misbehave([{ upstream: vendor, kind: does, ms, times }])
      const struck = ({ n, outcome }: { n: number; outcome: string }) => outcome === `fault:${does}` && !before.has(n)
      return begun({
        touched: () =>
          upstream
            .calls()
            .filter(struck)
            .flatMap(({ text }) => crowd.byMarker(text) ?? []),
        heal: () => upstream.misbehave([]),
      })
    }
    case 'facilitator': {
      const { facilitatorProxy } = stack
      const wrong = fault.path === '/settle' ? settleLies : verifyLies
      facilitatorProxy.play({ does: fault.does, path: fault.path, ms: LATE_MS, wrong })
      let last: PaidRequest[] = []
      return begun({
        touched: () => {
          last = facilitatorProxy.fooled().flatMap((body) => crowd.byNonce(nonceIn(body) ?? '') ?? [])
          return last
        },
        heal: async () => facilitatorProxy.play(undefined),
      })
    }
    case 'node': {
      stack.nodeProxy.play({ does: fault.does, ms: LATE_MS, wrong: nodeLies })
      return begun({
        // A node's call names no payment: it was made for those who wait.
        touched: () => (stack.nodeProxy.fooled().length > 0 ? waitingOf(crowd) : []),
        heal: async () => stack.nodeProxy.play(undefined),
      })
    }
  }
}

/** Who has sent a payment and has no answer yet. */
export function waitingOf(crowd: Crowd): PaidRequest[] {
  return crowd.requests.filter(({ waiting }) => [...waiting.values()].some((copies) => copies > 0))
}

type ServiceFault = Extract<Fault, { kind: 'service' }>

async function strikeService(deps: FaultDeps, fault: ServiceFault, caught: PaidRequest | undefined): Promise<Begun> {
  const { stack } = deps
  const all = replicasOf(stack, fault.service)
  const struck = fault.replicas === 'all' ? all : [victimOf(deps, fault.service, all, caught)]
  const signal = { kill: 'SIGKILL', terminate: 'SIGTERM', pause: 'SIGSTOP' } as const
  for (const { pid } of struck) process.kill(pid, signal[fault.how])
  if (fault.how === 'pause') {
    return begun({
      heal: async () => {
        for (const { pid } of struck) process.kill(pid, 'SIGCONT')
      },
    })
  }
  const gone = new Set(struck.map(({ pid }) => pid))
  return begun({
    healsItself: true,
    heal: async () => {
      await until(
        `${fault.service} is back`,
        async () => {
          const now = replicasOf(stack, fault.service)
          if (now.length !== all.length || now.some(({ pid }) => gone.has(pid))) return false
          return (await Promise.all(now.map(({ isReady }) => isReady()))).every((isReady) => isReady)
        },
        SELF_HEALING_MS,
      )
    },
  })
}

type Replica = { pid: number; replica: number; isReady(): Promise<boolean> }

function replicasOf(stack: FaultyStack, service: Service): Replica[] {
  if (service === 'facilitator') return [{ pid: stack.facilitator.pid(), replica: 0, isReady: stack.facilitator.isReady }]
  return stack.handle.stack.processes
    .filter(({ name }) => name === service)
    .map(({ pid, replica, internalUrl }) => ({
      pid,
      replica,
      isReady: async () => (await fetch(`${internalUrl}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok,
    }))
}

/** The replica that is known to have the request in hand, else the first. */
function victimOf({ crowd }: FaultDeps, service: Service, all: Replica[], caught: PaidRequest | undefined): Replica {
  const gateways = crowd.deps.gateways.length
  const waits = [...(caught?.waiting ?? [])].find(([, copies]) => copies > 0)
  const index = service === 'gateway' && waits !== undefined ? waits[0] % gateways : 0
  const victim = all.find(({ replica }) => replica === index) ?? all[0]
  if (victim === undefined) throw new Error(`no ${service} runs`)
  return victim
}

async function strikePart({ stack, upstream }: FaultDeps, fault: Extract<Fault, { kind: 'part' }>): Promise<Begun> {
  const { home, chain } = stack
  const name = fault.part
  const afterwards = async () => {
    // It forgot what it was told.
    if (name === 'sandbox') await upstream.misbehave([])
  }
  if (fault.how === 'pause') {
    const pid = pidOf(stack, name)
    signalFamily(pid, 'SIGSTOP')
    return begun({ heal: async () => signalFamily(pid, 'SIGCONT') })
  }
  if (name === 'sandbox') await upstream.refresh()
  if (name === 'chain') {
    await chain.stop()
    return begun({ heal: chain.start })
  }
  await part(home, fault.how, name)
  return begun({
    heal: async () => {
      await part(home, 'start', name)
      await afterwards()
    },
  })
}

function pidOf(stack: FaultyStack, name: PartName): number {
  if (name === 'chain') return stack.chain.pid()
  const pid = stack.handle.stack.processes.find((process) => process.name === name)?.pid
  if (pid === undefined) throw new Error(`${name} does not run`)
  return pid
}

function begun(some: Partial<Begun>): Begun {
  return { touched: () => [], healsItself: false, heal: async () => {}, ...some }
}

/** Lasts as long as it was planned. */
export function last(ms: number): Promise<void> {
  return pause(ms)
}
