/** What the person at the terminal sees: one line per step, as it happens. */
export interface Terminal {
  title(text: string): void
  progress(name: string, text: string, tookMs?: number): void
  ready(name: string, where: string, tookMs: number): void
  problem(name: string, text: string): void
  blank(): void
  /** A line of a closing list, such as `Logs   /path`. */
  fact(label: string, text: string): void
  heading(text: string, tookMs?: number): void
}

export function formatMs(ms: number): string {
  return ms < 100 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`
}

interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
}

const nameWidth = 15
const textWidth = 50

export function terminalOn(output: Output, env: NodeJS.ProcessEnv): Terminal {
  const colours = (output.isTTY === true || Boolean(env.FORCE_COLOR)) && !env.NO_COLOR
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  const [bold, dim, green, yellow, cyan] = [paint(1), paint(2), paint(32), paint(33), paint(36)] as const
  const line = (text: string) => output.write(`${text.replace(/ +$/, '')}\n`)
  const took = (tookMs: number) => formatMs(tookMs).padStart(7)
  return {
    title: (text) => line(`\n  ${bold('Turnpike')}  ${dim(text)}\n`),
    progress: (name, text, tookMs) =>
      line(dim(`  · ${name.padEnd(nameWidth)} ${tookMs === undefined ? text : `${text.padEnd(textWidth)}${took(tookMs)}`}`)),
    ready: (name, where, tookMs) =>
      line(`  ${green('✓')} ${name.padEnd(nameWidth)} ${where.padEnd(textWidth)}${dim(took(tookMs))}`),
    problem: (name, text) => line(`  ${yellow('!')} ${name.padEnd(nameWidth)} ${text}`),
    blank: () => line(''),
    fact: (label, text) => line(`    ${dim(label.padEnd(nameWidth - 2))} ${text}`),
    heading: (text, tookMs) => line(`\n  ${bold(cyan(text))}${tookMs === undefined ? '' : dim(`  ${took(tookMs).trim()}`)}\n`),
  }
}
