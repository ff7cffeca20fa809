import { readFileSync } from 'node:fs'

// A service names its environment variables in one table; loading it lists every problem at once.

type Read<T> = { ok: true; value: T } | { ok: false; problem: string }
export type Variable<T> = { name: string; secret: boolean; read(text: string | undefined): Read<T> }
export type ConfigTable = Record<string, Variable<unknown>>
export type Config<Table extends ConfigTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Variable<infer T> ? T : never
}

export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(service: string, problems: readonly string[]) {
    super(
      `${service} cannot start, its configuration has ${problems.length} problem(s):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/**
 * Reads every variable of the table from `env`. A variable may also come from a file: NAME_FILE holds the path (mounted secrets).
 * Throws ConfigError with all problems; no message holds the value of a secret.
 */
export function loadConfig<Table extends ConfigTable>(service: string, table: Table, env: NodeJS.ProcessEnv): Config<Table> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, variable] of Object.entries(table)) {
    const text = textOf(variable.name, env, problems)
    const result = variable.read(text === '' ? undefined : text)
    if (result.ok) values[key] = result.value
    else
      problems.push(
        `${variable.name} ${result.problem}${text === undefined || variable.secret ? '' : `, it is ${JSON.stringify(text.slice(0, 80))}`}`,
      )
  }
  if (problems.length > 0) throw new ConfigError(service, problems)
  return values as Config<Table>
}

function textOf(name: string, env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    problems.push(`${name}_FILE names a file that cannot be read`)
    return undefined
  }
}

type Options<T> = { default?: T }

function variable<T>(name: string, options: Options<T> & { secret?: boolean }, parse: (text: string) => Read<T>): Variable<T> {
  return {
    name,
    secret: options.secret ?? false,
    read(text) {
      if (text !== undefined) return parse(text)
      return 'default' in options ? { ok: true, value: options.default as T } : { ok: false, problem: 'is not set' }
    },
  }
}

export function text(
  name: string,
  options: Options<string> & { pattern?: RegExp; hint?: string; secret?: boolean } = {},
): Variable<string> {
  return variable(name, options, (value) =>
    options.pattern === undefined || options.pattern.test(value)
      ? { ok: true, value }
      : { ok: false, problem: `must be ${options.hint ?? `like ${options.pattern}`}` },
  )
}

export function secret(name: string, options: Options<string> & { minLength?: number } = {}): Variable<string> {
  const { minLength = 1 } = options
  return variable(name, { ...options, secret: true }, (value) =>
    value.length >= minLength ? { ok: true, value } : { ok: false, problem: `must have at least ${minLength} characters` },
  )
}

/** A variable that may be absent. */
export function optional<T>(inner: Variable<T>): Variable<T | undefined> {
  return { ...inner, read: (value) => (value === undefined ? { ok: true, value: undefined } : inner.read(value)) }
}

export function oneOf<const T extends string>(name: string, values: readonly T[], options: Options<T> = {}): Variable<T> {
  return variable(name, options, (value) => {
    const found = values.find((candidate) => candidate === value)
    return found === undefined ? { ok: false, problem: `must be one of ${values.join(', ')}` } : { ok: true, value: found }
  })
}

export function integer(name: string, options: Options<number> & { min?: number; max?: number } = {}): Variable<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options
  return variable(name, options, (value) => {
    const number = Number(value)
    return /^-?\d{1,16}$/.test(value) && number >= min && number <= max
      ? { ok: true, value: number }
      : { ok: false, problem: `must be a whole number from ${min} to ${max}` }
  })
}

export function port(name: string, options: Options<number> = {}): Variable<number> {
  return integer(name, { ...options, min: 0, max: 65_535 })
}

export function flag(name: string, options: Options<boolean> = {}): Variable<boolean> {
  return variable(name, options, (value) =>
    value === 'true' || value === '1'
      ? { ok: true, value: true }
      : value === 'false' || value === '0'
        ? { ok: true, value: false }
        : { ok: false, problem: 'must be true or false' },
  )
}

/** Atomic USDC. */
export function atomicUsdc(name: string, options: Options<bigint> = {}): Variable<bigint> {
  return variable(name, options, (value) =>
    /^\d{1,30}$/.test(value)
      ? { ok: true, value: BigInt(value) }
      : { ok: false, problem: 'must be a whole number of atomic USDC (1 USDC is 1000000)' },
  )
}

/** Without its trailing slash. A URL may hold credentials, so a wrong one is not printed. */
export function url(name: string, options: Options<string> & { protocols?: readonly string[] } = {}): Variable<string> {
  return variable(name, { ...options, secret: true }, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (parsed === undefined) return { ok: false, problem: 'must be a URL' }
    if (options.protocols !== undefined && !options.protocols.includes(parsed.protocol)) {
      return { ok: false, problem: `must begin with ${options.protocols.map((protocol) => `${protocol}//`).join(' or ')}` }
    }
    return { ok: true, value: value.replace(/\/+$/, '') }
  })
}

export function list(name: string, options: Options<readonly string[]> = {}): Variable<readonly string[]> {
  return variable(name, options, (value) => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
    return items.length > 0 ? { ok: true, value: items } : { ok: false, problem: 'must hold at least one value' }
  })
}

/** JSON read by `parse`, which throws a sentence on what it does not take. Treated as a secret. */
export function json<T>(name: string, parse: (value: unknown) => T, options: Options<T> = {}): Variable<T> {
  return variable(name, { ...options, secret: true }, (value) => parsed(() => parse(JSON.parse(value))))
}

/** Text read by `parse`, which throws a sentence on what it does not take (keyrings, for one). Treated as a secret. */
export function parsedBy<T>(name: string, parse: (value: string) => T, options: Options<T> = {}): Variable<T> {
  return variable(name, { ...options, secret: true }, (value) => parsed(() => parse(value)))
}

function parsed<T>(parse: () => T): Read<T> {
  try {
    return { ok: true, value: parse() }
  } catch (error) {
    return {
      ok: false,
      problem:
        error instanceof SyntaxError
          ? 'is not valid JSON'
          : `is not usable: ${error instanceof Error ? error.message : 'unknown'}`,
    }
  }
}
