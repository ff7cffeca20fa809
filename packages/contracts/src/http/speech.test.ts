import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../canonical.ts'
import { parseSpeechRequest } from './speech.ts'
import { countCharacters } from './speech-characters.ts'
import { VOICE_ALIASES } from './voices.ts'

const model = 'el/flash-v2.5'
const least = { model, input: 'Good morning.' }
const effective = { ...least, voice: 'darian', response_format: 'mp3', speed: 1 }

function problemOf(body: unknown) {
  const parsed = parseSpeechRequest(body)
  return parsed.ok ? undefined : parsed.problem
}

describe('a speech request', () => {
  it('of the required fields gets every default, and is the one that states them', () => {
    expect(parseSpeechRequest(least)).toEqual({ ok: true, value: effective })
    const stated = parseSpeechRequest(
      JSON.parse('{"speed":1.000,"voice":"darian","response_format":"mp3","input":"Good morning.","model":"el/flash-v2.5"}'),
    )
    expect(stated).toEqual({ ok: true, value: effective })
    expect(stated.ok && fingerprintOf('/v1/audio/speech', stated.value)).toBe(fingerprintOf('/v1/audio/speech', effective))
  })

  it.each(VOICE_ALIASES)('may be spoken by %s', (voice) => {
    expect(parseSpeechRequest({ ...least, voice })).toMatchObject({ ok: true, value: { voice } })
  })

  it('takes every step of its speed, each as it was written', () => {
    for (let thousandths = 700; thousandths <= 1_200; thousandths++) {
      const written = (thousandths / 1_000).toFixed(3)
      const parsed = parseSpeechRequest(JSON.parse(`{"model":"el/flash-v2.5","input":"x","speed":${written}}`))
      expect(parsed, written).toMatchObject({ ok: true, value: { speed: Number(written) } })
    }
  })

  it.each([
    '0.7005',
    '0.6999',
    '0.699',
    '1.201',
    '1.2000001',
    '0.70000001',
    '1.0000000000000002',
    '0.9999999999999999',
    '-1',
    '0',
    '1e400',
    '"1"',
    'null',
    'true',
    '[1]',
  ])('takes no speed of %s', (speed) => {
    const body: unknown = JSON.parse(`{"model":"el/flash-v2.5","input":"x","speed":${speed}}`)
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'invalid_value', param: 'speed' })
  })

  it.each([
    ['input', { model }],
    ['model', { input: 'x' }],
    ['model', {}],
    ['body', []],
    ['body', null],
  ])('is incomplete without its %s', (param, body) => {
    expect(problemOf(body)).toMatchObject({ kind: 'incomplete', param })
  })

  it.each([
    ['input', ''],
    ['input', 5],
    ['input', 'x'.repeat(2_001)],
    ['input', '🦊'.repeat(2_001)],
    ['voice', 'alloy'],
    ['voice', 'Darian'],
    ['voice', ''],
    ['voice', null],
    ['voice', { id: 'darian' }],
    ['response_format', 'wav'],
    ['response_format', 'mp3_44100_128'],
    ['model', false],
  ])('is refused for its %s: %j', (param, value) => {
    expect(problemOf({ ...least, [param]: value })).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it.each(['instructions', 'stream_format', 'language', '__proto__'])('has no field %j', (field) => {
    const body: unknown = JSON.parse(JSON.stringify(least).replace('}', `,${JSON.stringify(field)}:1}`))
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'unsupported_field', param: field })
  })

  it('counts its input in code points, to 2000', () => {
    for (const input of ['x', 'x'.repeat(2_000), '🦊'.repeat(2_000), '👩‍👩‍👧'.repeat(400)])
      expect(problemOf({ ...least, input })).toBeUndefined()
    expect([...'é'.normalize('NFD')].length).toBe(2)
    expect(['', 'abc', '🦊🦊', 'é'.normalize('NFD'), '👩‍👩‍👧'].map(countCharacters)).toEqual([0, 3, 2, 2, 5])
  })
})
