import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'

type Row = { name: string; value: string; comment: string }

const MAX_VALUE = 72

/**
 * A Markdown table of a values file: a row for each value with the comment that stands above it. A map without a comment of its own is
 * gone into; one with a comment, or one that is written on one line, is a row.
 */
export function valuesTable(text: string): string {
  const { contents } = parseDocument(text)
  if (!isMap(contents)) throw new Error('values are a map')
  const rows = rowsOf(contents as YAMLMap<unknown, unknown>, '')
  return [
    '| value | default | |',
    '|---|---|---|',
    ...rows.map(({ name, value, comment }) => `| \`${name}\` | ${value} | ${comment} |`),
  ].join('\n')
}

function rowsOf(map: YAMLMap<unknown, unknown>, prefix: string): Row[] {
  return map.items.flatMap((pair, index) => {
    const name = `${prefix}${keyOf(pair)}`
    const comment = commentOf(pair, index === 0 ? map.commentBefore : undefined)
    const { value } = pair
    const isGroup = isMap(value) && value.flow !== true && value.items.length > 0
    if (!isGroup) return [{ name, value: shown(value), comment }]
    const rows = rowsOf(value as YAMLMap<unknown, unknown>, `${name}.`)
    return comment === '' ? rows : [{ name, value: '', comment }, ...rows]
  })
}

function keyOf({ key }: Pair<unknown, unknown>): string {
  const name = String(isScalar(key) ? key.value : key)
  return name.includes('.') ? name.replaceAll('.', '\\.') : name
}

/** The first comment of a map belongs to the map for the parser, and to its first value for a reader. */
function commentOf({ key }: Pair<unknown, unknown>, ofMap: string | null | undefined): string {
  const own = isScalar(key) ? key.commentBefore : undefined
  const text = own ?? ofMap ?? ''
  // A blank line ends what is said of the part before.
  const last = text.split(/\n\s*\n/).at(-1) ?? ''
  return last
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
    .replaceAll('|', '\\|')
    .replaceAll('<', '\\<')
}

function shown(value: unknown): string {
  if (isScalar(value)) return value.value === '' ? '' : `\`${String(value.value)}\``
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  if (text === '{}' || text === '[]') return ''
  return text.length > MAX_VALUE ? 'see values.yaml' : `\`${text}\``
}
