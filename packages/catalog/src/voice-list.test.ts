import { MODELS, PAID_ENDPOINTS, SPEECH_MODELS, VOICE_ALIASES } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { catalogOf } from './index.ts'

type Listed = { object: string; defaults: Record<string, string>; data: Record<string, unknown>[] }
const voices = catalogOf(MODELS, PAID_ENDPOINTS).voices as Listed

describe('the list of voices', () => {
  it('holds the twenty aliases in the order of the interface, each with exactly its fields', () => {
    expect(Object.keys(voices).sort()).toEqual(['data', 'defaults', 'object'])
    expect(voices.object).toBe('list')
    expect(voices.data.map(({ id }) => id)).toEqual([...VOICE_ALIASES])
    for (const voice of voices.data) {
      expect(voice).toEqual({
        id: expect.any(String),
        name: expect.stringMatching(/^[A-Z][a-z]+$/),
        description: expect.stringMatching(/.{10,}/),
        provider: 'el',
        languages: expect.arrayContaining(['en']),
        models: [...SPEECH_MODELS],
        default_for_models: voice.id === 'darian' ? ['el/flash-v2.5'] : [],
        retirement_date: null,
      })
    }
  })

  it('names the default voice of each model', () => {
    expect(voices.defaults).toEqual({ 'el/flash-v2.5': 'darian' })
  })

  it('tells every two voices apart', () => {
    expect(new Set(voices.data.map(({ description }) => description)).size).toBe(20)
    expect(new Set(voices.data.map(({ name }) => name)).size).toBe(20)
  })

  it('lists each language once', () => {
    for (const { languages } of voices.data) expect(new Set(languages as string[]).size).toBe((languages as string[]).length)
  })

  it.each([
    ['no speech model is enabled', MODELS.filter((model) => model !== 'el/flash-v2.5'), PAID_ENDPOINTS],
    ['no endpoint speaks', MODELS, PAID_ENDPOINTS.filter((path) => path !== '/v1/audio/speech')],
  ])('is empty where %s', (_where, models, endpoints) => {
    expect(catalogOf(models, endpoints).voices).toEqual({ object: 'list', defaults: {}, data: [] })
  })
})
