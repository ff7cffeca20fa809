import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Its message is for whoever typed the command. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** What was given of these options. Throws UsageError on anything else. */
export function givenOptions<const Known extends ParseArgsOptionsConfig>(args: readonly string[], options: Known) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** A whole number of one or more; undefined where it was not given. Throws UsageError. */
export function wholeNumber(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${name} takes a whole number from 1 to ${most}`)
  return value
}
