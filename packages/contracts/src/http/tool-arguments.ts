import { canonical } from '../canonical.ts'
import { isJsonObject, type JsonObject } from './effective-json.ts'

/** Far above what a model writes: what is nested in a string was not measured with the body. */
export const ARGUMENT_LIMITS = { maxDepth: 64, maxValues: 100_000 } as const
export type ValueBudget = { valuesLeft: number }

/**
 * The JSON object in `text`; no text at all is an object without members, as models write a call without arguments. Depth and
 * size are measured before anything is built from it. Linear.
 */
export function parseArguments(text: string, budget: ValueBudget): JsonObject | 'not_an_object' | 'too_complex' {
  if (text.trim() === '') return {}
  const values = measure(text)
  budget.valuesLeft -= values ?? 0
  if (values === undefined || budget.valuesLeft < 0) return 'too_complex'
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return 'not_an_object'
    // Half a surrogate pair, or a number beyond all numbers: written as JSON, and yet none. It could not be priced.
    canonical(value)
    return value
  } catch {
    return 'not_an_object'
  }
}

/** How many values JSON text holds at most, or undefined when it is nested too deep. Brackets and commas outside of strings bound both. */
function measure(text: string): number | undefined {
  let depth = 0
  let values = 1
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (inString) {
      if (character === 0x5c) at++
      else if (character === 0x22) inString = false
    } else if (character === 0x22) inString = true
    else if (character === 0x2c) values++
    else if (character === 0x7b || character === 0x5b) {
      values++
      depth++
      if (depth > ARGUMENT_LIMITS.maxDepth) return undefined
    } else if (character === 0x7d || character === 0x5d) depth--
  }
  return values
}

/** A value that was parsed with the body: its depth is bounded there, but upstreams take less. */
export function isTooDeep(value: unknown, maxDepth: number = ARGUMENT_LIMITS.maxDepth): boolean {
  if (value === null || typeof value !== 'object') return false
  if (maxDepth === 0) return true
  for (const inner of Object.values(value)) if (isTooDeep(inner, maxDepth - 1)) return true
  return false
}
