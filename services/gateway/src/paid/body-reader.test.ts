import { PUBLISHED_PRICES } from '@turnpike/catalog'
import { afterAll, describe, expect, it } from 'vitest'
import { chatCompletions } from '../endpoints/chat-completions.ts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { transcriptions } from '../endpoints/transcriptions.ts'
import { formOf, framesOf } from '../transcription/testing/upload.ts'
import { openBodyReader } from './body-reader.ts'
import { readAnyBody } from './effective-body.ts'

const reader = openBodyReader({ threads: 1 })
afterAll(() => reader.close())

const chat = chatCompletions as PaidEndpointDefinition
const transcription = transcriptions as unknown as PaidEndpointDefinition
const json = (value: unknown) => ({ contentType: 'application/json', bytes: Buffer.from(JSON.stringify(value)) })
const chatOf = (characters: number) =>
  json({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'é'.repeat(characters) }] })
/** Reading hands large bytes over: each reader gets its own. */
const copyOf = (body: { contentType: string; bytes: Buffer }) => {
  const bytes = Buffer.allocUnsafeSlow(body.bytes.length)
  body.bytes.copy(bytes)
  return { ...body, bytes }
}

describe('a body', () => {
  it('that is small is read at once', () => {
    expect(reader.read(chat, chatOf(10), { keepContent: false, client: 'a' })).toMatchObject({
      kind: 'parsed',
      model: 'gm-2.5-flash',
    })
  })

  it('that is small and holds much is read in another thread: it would stop everybody as long as a large one', async () => {
    const many = json({ model: 'gm-2.5-flash', messages: Array.from({ length: 2_000 }, () => ({ role: 'user', content: 'a' })) })
    const read = reader.read(chat, many, { keepContent: true, client: 'a' })
    expect(read).toBeInstanceOf(Promise)
    expect(await read).toEqual(await readAnyBody(chat, many))
  })

  it('of a client that has too much waiting is not read; another one is', async () => {
    const body = chatOf(100_000)
    const read = (client: string) => reader.read(chat, copyOf(body), { keepContent: false, client })
    const reads = Array.from({ length: 70 }, () => read('a'))
    expect(await read('b')).toMatchObject({ kind: 'parsed' })
    const kinds = (await Promise.all(reads)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'parsed')).toHaveLength(65)
    expect(kinds.slice(65)).toEqual(Array(5).fill('client_busy'))
  })

  it.each([300_000, 3_000_000])('of %i characters means the same, read in another thread', async (characters) => {
    const body = chatOf(characters)
    const read = reader.read(chat, copyOf(body), { keepContent: true, client: 'a' })
    expect(read).toBeInstanceOf(Promise)
    const here = await readAnyBody(chat, body)
    expect(await read).toEqual(here)
    expect(await reader.read(chat, copyOf(body), { keepContent: false, client: 'a' })).toEqual({ ...here, canonicalBody: '' })
  })

  it('costs what the operator says, whoever reads it', async () => {
    const dear = { ...PUBLISHED_PRICES, minimumUsd: '7' }
    const dearReader = openBodyReader({ threads: 1, prices: dear })
    try {
      const read = await dearReader.read(chat, chatOf(300_000), { keepContent: false, client: 'a' })
      expect(read).toMatchObject({ quote: { price: { amountAtomic: 7_000_000n } } })
    } finally {
      await dearReader.close()
    }
  })

  it.each<[string, Buffer, string]>([
    ['no JSON', Buffer.alloc(2_000_000, 'x'), 'not_json'],
    ['no UTF-8', Buffer.alloc(2_000_000, 0xff), 'not_json'],
    ['brackets', Buffer.alloc(2_000_000, '['), 'too_complex'],
    ['an incomplete request', Buffer.from(JSON.stringify({ padding: 'x'.repeat(2_000_000) })), 'problem'],
  ])('that is %s is told so', async (_what, bytes, kind) => {
    expect(
      await reader.read(chat, copyOf({ contentType: 'application/json', bytes }), { keepContent: false, client: 'a' }),
    ).toMatchObject({
      kind,
    })
  })

  it.each([100, 5_000])(
    'that is a form with %i frames gives its audio back only to whom it is worth its memory',
    async (frames) => {
      const mp3 = framesOf(frames)
      const { body: bytes, contentType } = formOf([
        { name: 'model', content: 'el/scribe-v2' },
        { name: 'file', content: mp3 },
      ])
      const kept = await reader.read(transcription, copyOf({ contentType, bytes }), { keepContent: true, client: 'a' })
      const dropped = await reader.read(transcription, copyOf({ contentType, bytes }), { keepContent: false, client: 'a' })
      if (kept.kind !== 'parsed' || dropped.kind !== 'parsed' || kept.canonicalBody === undefined) throw new Error('refused')
      expect(kept.audio?.durationMs).toBe(Math.round((frames * 1_152) / 44.1))
      expect(Buffer.from(kept.audio?.bytes ?? []).equals(mp3)).toBe(true)
      expect(dropped).toEqual({ ...kept, canonicalBody: '', audio: undefined })
    },
  )

  it('that is JSON with audio means the same as the form', async () => {
    const mp3 = framesOf(5_000)
    const form = formOf([
      { name: 'file', content: mp3 },
      { name: 'model', content: 'el/scribe-v2' },
    ])
    const fromForm = await reader.read(
      transcription,
      { contentType: form.contentType, bytes: form.body },
      { keepContent: false, client: 'a' },
    )
    const audio_base64 = mp3.toString('base64')
    const fromJson = await reader.read(transcription, copyOf(json({ model: 'el/scribe-v2', audio_base64 })), {
      keepContent: false,
      client: 'a',
    })
    expect(fromJson).toEqual(fromForm)
    expect(fromJson).toMatchObject({ kind: 'parsed', quote: { ok: true } })
  })
})
