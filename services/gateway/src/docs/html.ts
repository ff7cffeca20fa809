/** Markup that is safe to stand in a page as it is. */
export type Html = { readonly html: string }
type Value = string | number | Html | readonly (string | Html)[]

/** A template whose values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { html: parts.map((part, index) => part + (index < values.length ? textOf(values[index] as Value) : '')).join('') }
}

function textOf(value: Value): string {
  if (typeof value === 'object' && 'html' in value) return value.html
  if (typeof value === 'object') return value.map(textOf).join('')
  return String(value).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** `text` with what stands between backticks as code. */
export function withCode(text: string): Html {
  const pieces = text.split('`')
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
}
