import { describe, expect, it } from 'vitest'
import { readTranscriptionForm } from './read-form.ts'
import { type FormPart, formOf } from './testing/upload.ts'

const file: FormPart = { name: 'file', content: 'audio', filename: 'a.mp3', type: 'audio/mpeg' }
const model: FormPart = { name: 'model', content: 'el/scribe-v2' }

async function read(parts: FormPart[]) {
  const form = formOf(parts)
  return await readTranscriptionForm(form.body, form.contentType)
}
async function code(parts: FormPart[]) {
  const result = await read(parts)
  return result.ok ? 'ok' : result.problem.kind === 'invalid' ? `${result.problem.code} ${result.problem.param}` : 'incomplete'
}

describe('a form', () => {
  it('gives its fields and the bytes of its file, in whatever order', async () => {
    for (const parts of [
      [file, model],
      [model, file],
    ]) {
      const result = await read(parts)
      if (!result.ok) throw new Error('refused')
      expect([...result.value.fields]).toEqual([['model', 'el/scribe-v2']])
      expect(Buffer.from(result.value.file ?? [])).toEqual(Buffer.from('audio'))
    }
  })

  it('keeps bytes that look like a boundary, and text in UTF-8', async () => {
    const content = Buffer.from('\r\n--\r\n------a-boundary-of-our-ow\r\n\u0000\u00ff', 'latin1')
    const result = await read([
      { ...file, content },
      { name: 'language', content: 'é' },
    ])
    expect(result.ok && Buffer.from(result.value.file ?? []).equals(content)).toBe(true)
    expect(result.ok && result.value.fields.get('language')).toBe('é')
  })

  it('may do without a name for its file', async () => {
    expect(await code([{ name: 'file', content: 'audio' }, model])).toBe('ok')
  })

  it.each<[string, FormPart[], string]>([
    ['a field that is none of ours', [file, model, { name: 'prompt', content: 'x' }], 'invalid_value body'],
    ['a field of an endless name', [file, { name: 'x'.repeat(5_000), content: 'x' }], 'invalid_value body'],
    ['the same field twice', [file, model, model], 'invalid_multipart model'],
    ['the file twice', [file, model, file], 'invalid_multipart file'],
    ['the file three times', [file, file, file], 'invalid_multipart file'],
    ['an endless field', [file, { name: 'language', content: 'x'.repeat(1_000_000) }], 'invalid_value language'],
    ['a file in Base64', [{ ...file, encoding: 'base64' }, model], 'invalid_multipart file'],
    ['a field as quoted-printable', [file, { ...model, encoding: 'quoted-printable' }], 'invalid_multipart model'],
    ['a hundred parts', Array<FormPart>(100).fill(model), 'invalid_multipart model'],
    ['another field as a file', [file, { ...model, filename: 'model.txt', type: 'application/octet-stream' }], 'ok'],
  ])('with %s', async (_what, parts, expected) => {
    expect(await code(parts)).toBe(expected)
  })

  const { body, contentType } = formOf([file, model])
  it.each<[string, Buffer, string]>([
    ['nothing in it', Buffer.alloc(0), contentType],
    ['no boundary', body, 'multipart/form-data'],
    ['an empty boundary', body, 'multipart/form-data; boundary='],
    ['another boundary', body, 'multipart/form-data; boundary=other'],
    ['no end', body.subarray(0, body.length - 10), contentType],
    ['half a file', body.subarray(0, 150), contentType],
    ['JSON in it', Buffer.from('{"model":"el/scribe-v2"}'), contentType],
    [
      'headers without end',
      Buffer.concat([Buffer.from('------a-boundary-of-our-own\r\n'), Buffer.alloc(200_000, 0x61)]),
      contentType,
    ],
  ])('with %s is malformed', async (_what, bytes, type) => {
    const result = await readTranscriptionForm(bytes, type)
    expect(result).toMatchObject({ ok: false, problem: { kind: 'invalid', code: 'invalid_multipart' } })
  })

  it('of millions of parts is not read on behind its defect', async () => {
    const part = '--X\r\n\r\n\r\n'
    const body = Buffer.from(part.repeat(Math.floor((8 * 1_024 * 1_024) / part.length)))
    const startedUs = process.threadCpuUsage().user
    const result = await readTranscriptionForm(body, 'multipart/form-data; boundary=X')
    expect(result).toMatchObject({ ok: false, problem: { code: 'invalid_multipart' } })
    // Read to its end it takes several seconds.
    // Processor time: a machine that is busy with something else says nothing about this.
    expect(process.threadCpuUsage().user - startedUs).toBeLessThan(1_000_000)
  })

  it('never has its names and contents in a refusal', async () => {
    const result = await read([
      { ...file, filename: 'private-name.mp3' },
      { name: 'private-field', content: 'private-content' },
    ])
    expect(JSON.stringify(result)).not.toContain('private')
  })
})
