import { catalogOf } from '@turnpike/catalog'
import { describe, expect, it } from 'vitest'
import { transcriptions } from '../endpoints/transcriptions.ts'
import { readAnyBody } from '../paid/effective-body.ts'
import { judgeRequest } from '../paid/effective-request.ts'
import { type FormPart, formOf, framesOf } from './testing/upload.ts'

const deps = { catalog: catalogOf(['el/scribe-v2'], ['/v1/audio/transcriptions']), providerTimeoutMs: undefined }
const mp3 = framesOf(100)
const model = { model: 'el/scribe-v2' }

async function read(body: Buffer, contentType = 'application/json', paymentSignature?: string) {
  const effective = await readAnyBody(transcriptions, { contentType, bytes: body })
  const incoming = { contentType, body, idempotencyKey: 'a-key', paymentSignature }
  return judgeRequest(deps, transcriptions, incoming, () => effective)
}
const readJson = (fields: Record<string, unknown>, audio: Buffer = mp3) =>
  read(Buffer.from(JSON.stringify({ audio_base64: audio.toString('base64'), ...model, ...fields })))
const readForm = (parts: FormPart[]) => {
  const form = formOf(parts)
  return read(form.body, form.contentType)
}

/** The code and the field of a refusal; the reason of a challenge. */
async function verdict(reading: ReturnType<typeof read>) {
  const result = await reading
  if (result.ok) return 'ok'
  const { answer } = result
  if (answer.kind === 'problem') return [answer.problem.code, answer.problem.param]
  return answer.kind === 'challenge' ? answer.reason : answer.kind
}

describe('a request for a transcription', () => {
  it('is one effective request in both encodings, whatever its file is called', async () => {
    const options = { language: 'eng', diarize: 'true', num_speakers: '2', timestamps: 'word' }
    const fields = Object.entries({ ...model, ...options }).map(([name, content]) => ({ name, content }))
    const json = await readJson({ language: 'EN', diarize: true, num_speakers: 2, timestamps: 'word' })
    const form = await readForm([...fields, { name: 'file', filename: 'secret.mp3', type: 'audio/mpeg', content: mp3 }])
    const other = await readForm([{ name: 'file', content: mp3 }, ...fields.toReversed()])
    if (!json.ok || !form.ok || !other.ok) throw new Error('refused')
    expect(form.request.fingerprint).toBe(json.request.fingerprint)
    expect(other.request.fingerprint).toBe(json.request.fingerprint)
    expect(form.request.canonicalBody).toBe(json.request.canonicalBody)
    expect(form.request.canonicalBody).not.toContain('secret')
    expect(Buffer.from(form.request.audio?.bytes ?? []).equals(mp3)).toBe(true)
  })

  it('is another one with other audio or other options', async () => {
    const prints = await Promise.all(
      [readJson({}), readJson({}, framesOf(101)), readJson({ diarize: true }), readJson({ response_format: 'verbose_json' })].map(
        async (reading) => {
          const result = await reading
          return result.ok ? result.request.fingerprint : 'refused'
        },
      ),
    )
    expect(new Set(prints).size).toBe(4)
    expect(prints).not.toContain('refused')
  })

  it('costs by the measured duration, has 300 s, and its payment lives 420', async () => {
    // 100 frames of 1152 samples at 44.1 kHz: 2,612 ms are three seconds.
    const result = await readJson({})
    expect(result).toMatchObject({
      ok: true,
      request: {
        price: { amountAtomic: 5_100n, inputs: { audio_duration_ms: 2_612, billed_seconds: 3 } },
        deadlineMs: 300_000,
        maxTimeoutSeconds: 420,
        model: 'el/scribe-v2',
        audio: { durationMs: 2_612 },
      },
    })
  })

  it('names its audio by the hash of its bytes, and holds none of it', async () => {
    const result = await readJson({})
    if (!result.ok) throw new Error('refused')
    const body = JSON.parse(result.request.canonicalBody)
    expect(Object.keys(body).sort()).toEqual(
      ['audio_sha256', 'diarize', 'file_format', 'model', 'response_format', 'tag_audio_events', 'timestamps'].sort(),
    )
    expect(body.audio_sha256).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('audio', () => {
  it.each<[string, Buffer, string]>([
    ['text', Buffer.from('no sound at all'), 'invalid_audio'],
    ['a wav', Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), mp3]), 'invalid_audio'],
    ['three frames', framesOf(3), 'audio_too_short'],
    ['72 ms more than 58.5 minutes', framesOf(48_751, 72), 'audio_too_long'],
    ['25 MiB and a byte', Buffer.concat([framesOf(62_865), Buffer.alloc(1)], 26_214_401), 'audio_too_large'],
  ])('of %s is refused before a challenge', async (_what, audio, code) => {
    expect(
      await verdict(
        readForm([
          { name: 'file', content: audio },
          { name: 'model', content: model.model },
        ]),
      ),
    ).toEqual([code, 'file'])
    if (code !== 'audio_too_large') expect(await verdict(readJson({}, audio))).toEqual([code, 'audio_base64'])
  })

  it('of 58.5 minutes is taken, at the highest price there is', async () => {
    expect(await readJson({}, framesOf(48_750, 72))).toMatchObject({ ok: true, request: { price: { amountAtomic: 122_000n } } })
  })

  it('must be canonical Base64', async () => {
    const text = mp3.toString('base64')
    for (const audio_base64 of [`data:audio/mpeg;base64,${text}`, `${text}\n`, text.replaceAll('/', '_'), text.slice(0, -1)]) {
      expect(await verdict(readJson({ audio_base64 }))).toEqual(['invalid_value', 'audio_base64'])
    }
  })
})

describe('an incomplete request', () => {
  it('as JSON is an inspection case at the lowest price, and a 400 with a payment', async () => {
    const body = Buffer.from(JSON.stringify(model))
    expect(await read(body)).toMatchObject({
      ok: false,
      answer: { kind: 'challenge', reason: 'inspection', challenge: { amountAtomic: 5_034n } },
    })
    expect(await verdict(read(body, 'application/json', 'x'))).toEqual(['missing_required_field', 'audio_base64'])
    expect(await verdict(read(Buffer.from('{"audio_base64":"AA')))).toBe('inspection')
  })

  it('as a form is a 400', async () => {
    expect(await verdict(readForm([{ name: 'model', content: model.model }]))).toEqual(['missing_required_field', 'file'])
    expect(await verdict(readForm([{ name: 'file', content: mp3 }]))).toEqual(['missing_required_field', 'model'])
  })

  it('of another type is a 415', async () => {
    expect(await verdict(read(mp3, 'audio/mpeg'))).toEqual(['unsupported_media_type', undefined])
  })
})
