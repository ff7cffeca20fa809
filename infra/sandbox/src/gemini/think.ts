import type { GeminiModel, ThinkingLevel } from './models.ts'
import type { GenerationConfig } from './request.ts'

/** Even MINIMAL thinks a little: the vendor does not promise none. */
const levelTokens: Readonly<Record<ThinkingLevel, number>> = { MINIMAL: 8, LOW: 32, MEDIUM: 96, HIGH: 192 }
const budgetTokens = 96

/** How many tokens the model thinks before it answers, before the output cap; more for a longer prompt. */
export function thoughtTokens(model: GeminiModel, config: GenerationConfig, promptTokens: number): number {
  const { thinkingBudget, thinkingLevel } = config.thinkingConfig ?? {}
  const effort = Math.min(Math.floor(promptTokens / 32), 64)
  if (model.thinking.by === 'level') {
    const level = isLevel(thinkingLevel) ? thinkingLevel : model.thinking.defaultLevel
    const tokens = levelTokens[level] + (level === 'MINIMAL' ? 0 : effort)
    return thinkingBudget !== undefined && thinkingBudget > 0 ? Math.min(tokens, thinkingBudget) : tokens
  }
  const budget = thinkingBudget ?? model.thinking.defaultBudget
  return budget < 0 ? budgetTokens + effort : Math.min(budgetTokens + effort, budget)
}

function isLevel(level: string | undefined): level is ThinkingLevel {
  return level !== undefined && Object.hasOwn(levelTokens, level)
}
