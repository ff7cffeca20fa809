export type Cell = string | number | undefined

/** Columns as wide as their widest cell; the first is left-aligned, figures to the right. */
export function renderTable(header: readonly string[], rows: readonly (readonly Cell[])[], indent = '  '): string[] {
  const texts = [header, ...rows.map((row) => row.map(textOf))]
  const widths = header.map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)))
  const lines = texts.map((row) =>
    widths
      .map((width, column) => {
        const text = row[column] ?? ''
        return column === 0 ? text.padEnd(width) : text.padStart(width)
      })
      .join('   ')
      .trimEnd(),
  )
  const [first = '', ...rest] = lines
  return [first, '─'.repeat(Math.max(...lines.map((line) => line.length))), ...rest].map((line) => `${indent}${line}`)
}

/** Three significant digits, no more: nothing here is more exact than that. */
function textOf(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'string') return cell
  if (!Number.isFinite(cell)) return '-'
  if (cell === 0) return '0'
  if (cell >= 100) return Math.round(cell).toLocaleString('en-US')
  if (cell >= 10) return cell.toFixed(1)
  if (cell >= 0.995) return cell.toFixed(2)
  return cell < 0.0005 ? '<0.001' : cell.toFixed(3)
}
