import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

export type Options = { minutes: number; seed: number; clients: number; keepHome: boolean }

export const USAGE = `npm run faults -- [options]
  --minutes N   how long faults strike, 5 unless told; then every request is brought to its end
  --seed N      what draws the faults and the clients' behaviour, a fresh one unless told
  --clients N   clients at once, 12 unless told
  --keep        keep the stack's folder with its logs, as after a failure`

export class UsageError extends Error {
  override name = 'UsageError'
}

export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parse(args)
  if (values.help === true) return 'help'
  return {
    minutes: whole('--minutes', values.minutes, 1_440) ?? 5,
    seed: whole('--seed', values.seed, 2 ** 32) ?? randomInt(1, 1_000_000),
    clients: whole('--clients', values.clients, 500) ?? 12,
    keepHome: values.keep === true,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        clients: { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function whole(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${name} takes a whole number from 1 to ${most}`)
  return value
}
