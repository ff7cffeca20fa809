import { parseArgs } from 'node:util'

export const USAGE = `Usage: audit [--from <block>] [--to <block>] [--last <blocks>] [--json]
       audit --every <seconds> [--last <blocks>]

Holds the chain against the ledger. Exit status: 0 no difference, 1 differences, 2 it could not be carried out.
  --from, --to   the blocks, both included; --to is the newest confirmed one by default
  --last         that many newest confirmed blocks (AUDIT_BLOCKS by default)
  --json         everything as JSON
  --every        goes on, with the last result as metrics on INTERNAL_PORT
`

export type Options = {
  from: bigint | undefined
  to: bigint | undefined
  last: bigint | undefined
  isJson: boolean
  everyMs: number | undefined
}

/** Undefined: the usage is to be shown. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const values = read(args)
  if (values === undefined) return undefined
  const numbers = [values.from, values.to, values.last, values.every]
  if (numbers.some((text) => text !== undefined && !/^\d{1,9}$/.test(text))) return undefined
  const [from, to, last] = [values.from, values.to, values.last].map((text) => (text === undefined ? undefined : BigInt(text)))
  const everyMs = values.every === undefined ? undefined : Number(values.every) * 1000
  const isRange = from !== undefined || to !== undefined
  if (isRange && (last !== undefined || everyMs !== undefined)) return undefined
  if (everyMs === 0 || last === 0n || (from !== undefined && to !== undefined && from > to)) return undefined
  if (everyMs !== undefined && values.json === true) return undefined
  return { from, to, last, isJson: values.json === true, everyMs }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        last: { type: 'string' },
        every: { type: 'string' },
        json: { type: 'boolean' },
      },
    }).values
  } catch {
    return undefined
  }
}
