import type { Thinking } from '../../text/text-request.ts'
import type { ThinkingConfig } from './wire.ts'

// maxOutputTokens caps thoughts and visible output together, so thinking that nobody asked for would eat what the client paid for.

/** Budgets of the 2.5 family: what "off" is, and the range otherwise. 2.5 Pro cannot be silent. */
const BUDGETS = [
  { family: /^gemini-2\.5-flash-lite/, offTokens: 0, minTokens: 512, maxTokens: 24_576 },
  { family: /^gemini-2\.5-flash/, offTokens: 0, minTokens: 0, maxTokens: 24_576 },
  { family: /^gemini-2\.5-pro/, offTokens: 128, minTokens: 128, maxTokens: 32_768 },
] as const
const EFFORT_TOKENS = { none: 0, minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 } as const
const EFFORT_LEVEL = { none: 'MINIMAL', minimal: 'MINIMAL', low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const

/** undefined leaves the model at its own default: an unknown family may refuse what it does not know. */
export function thinkingConfig(model: string, thinking: Thinking): ThinkingConfig | undefined {
  const budgets = BUDGETS.find(({ family }) => family.test(model))
  if (budgets !== undefined) {
    if (thinking.kind === 'adaptive') return { thinkingBudget: -1 }
    const tokens = wantedTokens(thinking)
    if (tokens <= 0) return { thinkingBudget: budgets.offTokens }
    return { thinkingBudget: Math.min(Math.max(tokens, budgets.minTokens), budgets.maxTokens) }
  }
  if (!/^gemini-3/.test(model)) return undefined
  switch (thinking.kind) {
    case 'minimum':
      return { thinkingLevel: 'MINIMAL' }
    case 'effort':
      return { thinkingLevel: EFFORT_LEVEL[thinking.effort] }
    case 'budget':
      return { thinkingLevel: levelOf(thinking.tokens) }
    case 'adaptive':
      return undefined
  }
}

function wantedTokens(thinking: Exclude<Thinking, { kind: 'adaptive' }>): number {
  switch (thinking.kind) {
    case 'minimum':
      return 0
    case 'effort':
      return EFFORT_TOKENS[thinking.effort]
    case 'budget':
      return thinking.tokens
  }
}

function levelOf(tokens: number): 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH' {
  if (tokens <= 0) return 'MINIMAL'
  if (tokens <= EFFORT_TOKENS.low) return 'LOW'
  return tokens <= EFFORT_TOKENS.medium ? 'MEDIUM' : 'HIGH'
}
