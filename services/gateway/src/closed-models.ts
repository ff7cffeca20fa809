import type { ClosedTarget, UpstreamCode } from '@turnpike/admission'
import type { Logger } from '@turnpike/service'

export type ClosedModels = {
  /** Why nothing of this model is sold now, and for how long at most; undefined when it is. Costs no trip. */
  closure(model: string): { code: UpstreamCode; retryAfterS: number } | undefined
  /** The models that are closed now. */
  closed(): string[]
  close(): void
}

const POLL_EVERY_MS = 1_000

type Closure = { code: UpstreamCode; untilMs: number }

/**
 * Which models nobody can serve, as the workers found out. Read in the background; a closure ends by itself at its time, so that with
 * Redis away, or with workers that say nothing any more, a model is sold again.
 */
export function watchClosedModels(options: {
  closedTargets: () => Promise<ClosedTarget[]>
  now: () => number
  logger: Logger
}): ClosedModels {
  const { closedTargets, now, logger } = options
  let closures: ReadonlyMap<string, Closure> = new Map()
  let isReading = false

  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      const found = closuresOf(await closedTargets(), now())
      for (const model of found.keys()) if (!closures.has(model)) logger.warn({ model }, 'no upstream serves the model')
      for (const model of closures.keys()) if (!found.has(model)) logger.info({ model }, 'the model is sold again')
      closures = found
    } catch (error) {
      logger.debug({ error }, 'the health of the upstreams could not be read')
    } finally {
      isReading = false
    }
  }
  const timer = setInterval(() => void read(), POLL_EVERY_MS)
  void read()

  function closure(model: string): Closure | undefined {
    const found = closures.get(model)
    return found !== undefined && found.untilMs > now() ? found : undefined
  }

  return {
    closure(model) {
      const found = closure(model)
      if (found === undefined) return undefined
      return { code: found.code, retryAfterS: Math.max(1, Math.ceil((found.untilMs - now()) / 1000)) }
    },
    closed: () => [...closures.keys()].filter((model) => closure(model) !== undefined),
    close: () => clearInterval(timer),
  }
}

/** A model is closed while all of its targets are, until the first of them may be tried again. */
export function closuresOf(targets: readonly ClosedTarget[], nowMs: number): Map<string, Closure> {
  const closures = new Map<string, Closure>()
  for (const model of new Set(targets.map((target) => target.model))) {
    const closed = targets.filter((target) => target.model === model)
    // While workers are replaced they may know of different targets: the longer list counts.
    const targetCount = Math.max(...closed.map(({ of }) => of))
    if (new Set(closed.map(({ index }) => index)).size < targetCount) continue
    const isOverloaded = closed.every(({ code }) => code === 'provider_overloaded')
    closures.set(model, {
      code: isOverloaded ? 'provider_overloaded' : 'provider_unavailable',
      untilMs: nowMs + Math.min(...closed.map(({ forMs }) => forMs)),
    })
  }
  return closures
}
