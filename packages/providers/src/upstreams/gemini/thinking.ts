import type { Thinking } from '../../text/text-request.ts'
import type { ThinkingConfig } from './wire.ts'

// maxOutputTokens caps thoughts and visible output together, so thinking that nobody asked for would eat what the client paid for,
// and thinking that was asked for never reaches beyond it. What a model cannot be told to leave (the least of 2.5 Pro, the levels of
// 3.x) may use up a small ceiling: the answer then ends as "length".

/** Budgets of the 2.5 family: what "off" is, and the range otherwise. 2.5 Pro cannot be silent. */
const BUDGETS = [
  { family: /^gemini-2\.5-flash-lite/, offTokens: 0, minTokens: 512, maxTokens: 24_576 },
  { family: /^gemini-2\.5-flash/, offTokens: 0, minTokens: 0, maxTokens: 24_576 },
  { family: /^gemini-2\.5-pro/, offTokens: 128, minTokens: 128, maxTokens: 32_768 },
] as const
const EFFORT_TOKENS = { none: 0, minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 } as const
const EFFORT_LEVEL = { none: 'MINIMAL', minimal: 'MINIMAL', low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const
/** An effort is a wish, not a number: it leaves a fifth of the ceiling for the answer. */
const EFFORT_SHARE_PERCENT = 80

/** undefined leaves the model at its own default: an unknown family may refuse what it does not know. */
export function thinkingConfig(model: string, thinking: Thinking, ceilingTokens: number): ThinkingConfig | undefined {
  const budgets = BUDGETS.find(({ family }) => family.test(model))
  if (budgets !== undefined) {
    if (thinking.kind === 'adaptive') return { thinkingBudget: -1 }
    const tokens = Math.min(wantedTokens(thinking, ceilingTokens), budgets.maxTokens)
    if (tokens <= 0) return { thinkingBudget: budgets.offTokens }
    // A budget below the model's least is raised to it where that leaves room, and is none where it does not.
    if (tokens < budgets.minTokens && budgets.minTokens >= ceilingTokens) return { thinkingBudget: budgets.offTokens }
    return { thinkingBudget: Math.max(tokens, budgets.minTokens) }
  }
  if (!/^gemini-3/.test(model)) return undefined
  switch (thinking.kind) {
    case 'minimum':
      return { thinkingLevel: 'MINIMAL' }
    case 'effort':
      return { thinkingLevel: EFFORT_LEVEL[thinking.effort] }
    case 'budget':
      return { thinkingLevel: levelOf(Math.min(thinking.tokens, ceilingTokens - 1)) }
    case 'adaptive':
      return undefined
  }
}

/** Always below the ceiling. */
function wantedTokens(thinking: Exclude<Thinking, { kind: 'adaptive' }>, ceilingTokens: number): number {
  switch (thinking.kind) {
    case 'minimum':
      return 0
    case 'effort':
      return Math.min(EFFORT_TOKENS[thinking.effort], Math.floor((ceilingTokens * EFFORT_SHARE_PERCENT) / 100))
    case 'budget':
      return Math.min(thinking.tokens, ceilingTokens - 1)
  }
}

function levelOf(tokens: number): 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH' {
  if (tokens <= 0) return 'MINIMAL'
  if (tokens <= EFFORT_TOKENS.low) return 'LOW'
  return tokens <= EFFORT_TOKENS.medium ? 'MEDIUM' : 'HIGH'
}
