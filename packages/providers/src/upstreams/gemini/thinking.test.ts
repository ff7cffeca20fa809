import { describe, expect, it } from 'vitest'
import type { Thinking } from '../../text/text-request.ts'
import { thinkingConfig } from './thinking.ts'

describe('thinking', () => {
  it.each<[string, object | undefined]>([
    ['gemini-2.5-flash', { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite-preview-09-2025', { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { thinkingBudget: 128 }],
    ['gemini-3.1-flash-lite', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.8-flash', { thinkingLevel: 'MINIMAL' }],
    ['gemma-3-27b-it', undefined],
  ])('of %s is at its minimum unless asked for', (model, expected) => {
    expect(thinkingConfig(model, { kind: 'minimum' }, 65_536)).toEqual(expected)
  })

  it.each<[string, Thinking, object | undefined]>([
    ['gemini-2.5-flash', { kind: 'effort', effort: 'none' }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', { kind: 'effort', effort: 'minimal' }, { thinkingBudget: 1_024 }],
    ['gemini-2.5-flash', { kind: 'effort', effort: 'low' }, { thinkingBudget: 1_024 }],
    ['gemini-2.5-flash', { kind: 'effort', effort: 'medium' }, { thinkingBudget: 8_192 }],
    ['gemini-2.5-flash', { kind: 'effort', effort: 'high' }, { thinkingBudget: 24_576 }],
    ['gemini-2.5-flash', { kind: 'budget', tokens: 60_000 }, { thinkingBudget: 24_576 }],
    ['gemini-2.5-flash-lite', { kind: 'budget', tokens: 10 }, { thinkingBudget: 512 }],
    ['gemini-2.5-pro', { kind: 'budget', tokens: 60_000 }, { thinkingBudget: 32_768 }],
    ['gemini-2.5-pro', { kind: 'effort', effort: 'none' }, { thinkingBudget: 128 }],
    ['gemini-2.5-pro', { kind: 'adaptive' }, { thinkingBudget: -1 }],
    ['gemini-3.5-flash', { kind: 'effort', effort: 'minimal' }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.5-flash', { kind: 'effort', effort: 'low' }, { thinkingLevel: 'LOW' }],
    ['gemini-3.5-flash', { kind: 'effort', effort: 'medium' }, { thinkingLevel: 'MEDIUM' }],
    ['gemini-3.5-flash', { kind: 'effort', effort: 'high' }, { thinkingLevel: 'HIGH' }],
    ['gemini-3.5-flash', { kind: 'effort', effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.5-flash', { kind: 'budget', tokens: 5_000 }, { thinkingLevel: 'MEDIUM' }],
    ['gemini-3.5-flash', { kind: 'adaptive' }, undefined],
  ])('of %s with %j', (model, thinking, expected) => expect(thinkingConfig(model, thinking, 65_536)).toEqual(expected))

  it.each<[string, Thinking, number, object]>([
    ['gemini-2.5-flash', { kind: 'budget', tokens: 60_000 }, 1_024, { thinkingBudget: 1_023 }],
    ['gemini-2.5-flash', { kind: 'budget', tokens: 5 }, 1, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', { kind: 'effort', effort: 'high' }, 1_000, { thinkingBudget: 800 }],
    ['gemini-2.5-flash-lite', { kind: 'budget', tokens: 1_024 }, 1_024, { thinkingBudget: 1_023 }],
    ['gemini-2.5-flash-lite', { kind: 'budget', tokens: 1_024 }, 513, { thinkingBudget: 512 }],
    ['gemini-2.5-flash-lite', { kind: 'budget', tokens: 1_024 }, 512, { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', { kind: 'effort', effort: 'high' }, 600, { thinkingBudget: 512 }],
    ['gemini-2.5-pro', { kind: 'budget', tokens: 1_024 }, 64, { thinkingBudget: 128 }],
    ['gemini-3.5-flash', { kind: 'budget', tokens: 30_000 }, 1_000, { thinkingLevel: 'LOW' }],
  ])('of %s with %j keeps below a ceiling of %d', (model, thinking, ceiling, expected) => {
    expect(thinkingConfig(model, thinking, ceiling)).toEqual(expected)
  })
})
