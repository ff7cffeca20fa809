import { OTHER } from './metric-table.ts'

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>

/** Each label's value from its closed set; what is not in it is `other`. */
export function labelFold<Label extends string>(
  allowed: Readonly<Record<Label, readonly string[]>>,
): (values: LabelValues<Label>) => { key: string; labels: Record<Label, string> } {
  const sets = Object.entries<readonly string[]>(allowed).map(([name, values]) => [name as Label, new Set(values)] as const)
  return (values) => {
    const labels = {} as Record<Label, string>
    let key = ''
    for (const [name, set] of sets) {
      const value = set.has(values[name]) ? values[name] : OTHER
      labels[name] = value
      key += `${value}\n`
    }
    return { key, labels }
  }
}
