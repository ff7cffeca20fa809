import { randomInt } from 'node:crypto'
import { givenOptions, wholeNumber } from '@turnpike/testing/command-line'

export type Options = { minutes: number; seed: number; clients: number; keepHome: boolean }

export const USAGE = `npm run faults -- [options]
  --minutes N   how long faults strike, 5 unless told; then every request is brought to its end
  --seed N      what draws the faults and the clients' behaviour, a fresh one unless told
  --clients N   clients at once, 12 unless told
  --keep        keep the stack's folder with its logs, as after a failure`

export function readOptions(args: readonly string[]): Options | 'help' {
  const values = givenOptions(args, {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    clients: { type: 'string' },
    keep: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  })
  if (values.help === true) return 'help'
  return {
    minutes: wholeNumber('--minutes', values.minutes, 1_440) ?? 5,
    seed: wholeNumber('--seed', values.seed, 2 ** 32) ?? randomInt(1, 1_000_000),
    clients: wholeNumber('--clients', values.clients, 500) ?? 12,
    keepHome: values.keep === true,
  }
}
