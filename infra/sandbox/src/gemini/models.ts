/** How a model thinks: 2.5 takes a budget in tokens, 3.x a level (and, for compatibility, a budget that cannot be 0). */
export interface BudgetThinking {
  by: 'budget'
  minimum: number
  maximum: number
  canDisable: boolean
  /** -1 lets the model decide. */
  defaultBudget: number
}

export interface LevelThinking {
  by: 'level'
  defaultLevel: ThinkingLevel
}

export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

export interface GeminiModel {
  name: string
  generation: 2 | 3
  thinking: BudgetThinking | LevelThinking
  imageOutput: boolean
}

const models: readonly GeminiModel[] = [
  {
    name: 'gemini-2.5-flash-lite',
    generation: 2,
    thinking: { by: 'budget', minimum: 512, maximum: 24_576, canDisable: true, defaultBudget: 0 },
    imageOutput: false,
  },
  {
    name: 'gemini-2.5-flash',
    generation: 2,
    thinking: { by: 'budget', minimum: 0, maximum: 24_576, canDisable: true, defaultBudget: -1 },
    imageOutput: false,
  },
  {
    name: 'gemini-2.5-pro',
    generation: 2,
    thinking: { by: 'budget', minimum: 128, maximum: 32_768, canDisable: false, defaultBudget: -1 },
    imageOutput: false,
  },
  { name: 'gemini-3.1-flash-lite', generation: 3, thinking: { by: 'level', defaultLevel: 'MINIMAL' }, imageOutput: false },
  { name: 'gemini-3.5-flash-lite', generation: 3, thinking: { by: 'level', defaultLevel: 'MINIMAL' }, imageOutput: false },
  { name: 'gemini-3.5-flash', generation: 3, thinking: { by: 'level', defaultLevel: 'MEDIUM' }, imageOutput: false },
  { name: 'gemini-3.6-flash', generation: 3, thinking: { by: 'level', defaultLevel: 'MEDIUM' }, imageOutput: false },
  { name: 'gemini-3.1-flash-lite-image', generation: 3, thinking: { by: 'level', defaultLevel: 'MINIMAL' }, imageOutput: true },
]

const byName = new Map(models.map((model) => [model.name, model]))

export function findModel(name: string): GeminiModel | undefined {
  return byName.get(name)
}

export const maxOutputTokensLimit = 65_536
export const inputTokenLimit = 1_048_576
