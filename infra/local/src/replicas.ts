import { StackFailure } from './failure.ts'

const mostReplicas = 16

/** `2` is for every service; `gateway=2,text-worker=3` for those, one of the others. */
export function parseReplicas<Name extends string>(text: string | undefined, names: readonly Name[]): Record<Name, number> {
  const entries = (text ?? '1')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const [only] = entries
  if (entries.length === 1 && only !== undefined && !only.includes('=')) {
    const count = parseCount(only, text)
    return record(names, () => count)
  }
  const wanted = new Map<string, number>()
  for (const entry of entries) {
    const [name = '', count = ''] = entry.split('=', 2)
    if (!names.some((known) => known === name)) {
      throw new StackFailure(`TURNPIKE_REPLICAS names "${name}", which is no service; the services are ${names.join(', ')}.`)
    }
    wanted.set(name, parseCount(count, text))
  }
  return record(names, (name) => wanted.get(name) ?? 1)
}

function parseCount(count: string, whole: string | undefined): number {
  if (!/^\d+$/.test(count) || Number(count) < 1 || Number(count) > mostReplicas) {
    throw new StackFailure(
      `TURNPIKE_REPLICAS is "${whole}"; it takes a number from 1 to ${mostReplicas}, or a list such as gateway=2,text-worker=3.`,
    )
  }
  return Number(count)
}

function record<Name extends string>(names: readonly Name[], countOf: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>
}
