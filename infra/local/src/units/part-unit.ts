import { StackFailure } from '../failure.ts'
import type { Part, Site } from '../parts/part.ts'
import type { Unit } from './unit.ts'

/** A part as the supervisor's unit. */
export function partUnit<Software, Address>(
  part: Part<Software, Address>,
  site: Site,
  options: { readonly stopRank: number; readonly afterFill?: () => Promise<void> },
): Unit {
  let software: Software | undefined
  return {
    name: part.name,
    replica: 0,
    kind: 'infrastructure',
    needs: [],
    stopRank: options.stopRank,
    where: `127.0.0.1:${site.port}`,
    readyTimeoutMs: part.readyTimeoutMs,
    obtain: async (tools) => {
      software = await part.obtain(tools)
    },
    launch: async () => {
      if (software === undefined) throw new StackFailure(`${part.name} was not fetched yet.`)
      await part.prepare(software, site)
      return part.command(software, site)
    },
    answers: () => part.answers(site),
    fill: async (say) => {
      await part.fill(site, say)
      await options.afterFill?.()
    },
  }
}

/** A dependency of your own: nothing is started, what our services expect to find in it is made. */
export function yourUnit(name: string, where: string, fill: Unit['fill']): Unit {
  return {
    name,
    replica: 0,
    kind: 'yours',
    needs: [],
    stopRank: 0,
    where: `yours, at ${where}`,
    readyTimeoutMs: 0,
    obtain: async () => {},
    launch: async () => undefined,
    answers: async () => true,
    fill,
  }
}
