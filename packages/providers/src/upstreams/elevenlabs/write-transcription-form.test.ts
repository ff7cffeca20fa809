import { expect, it } from 'vitest'
import type { TranscriptionRequest } from '../../transcription/transcription-request.ts'
import { writeTranscriptionForm } from './write-transcription-form.ts'

const mp3 = new Uint8Array([0xff, 0xfb, 0x90, 0x00, 13, 10, 45, 45])
const plain: TranscriptionRequest = { mp3, diarize: false, timestamps: 'none', tagAudioEvents: false }

async function fieldsOf(request: TranscriptionRequest) {
  const { contentType, body } = await writeTranscriptionForm('scribe_v2', request)
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()
  const file = form.get('file')
  if (!(file instanceof File)) throw new Error('no file')
  form.delete('file')
  return { fields: Object.fromEntries(form), file }
}

it('says everything that has another default upstream, and that there is one channel', async () => {
  const { fields, file } = await fieldsOf(plain)
  expect(fields).toEqual({
    model_id: 'scribe_v2',
    file_format: 'other',
    timestamps_granularity: 'none',
    tag_audio_events: 'false',
    diarize: 'false',
    use_multi_channel: 'false',
  })
  expect([file.name, file.type]).toEqual(['audio.mp3', 'audio/mpeg'])
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(mp3)
})

it('says what was asked for', async () => {
  const asked = { mp3, diarize: true, numSpeakers: 3, timestamps: 'character', tagAudioEvents: true, language: 'de' } as const
  expect((await fieldsOf(asked)).fields).toMatchObject({
    timestamps_granularity: 'character',
    tag_audio_events: 'true',
    diarize: 'true',
    num_speakers: '3',
    language_code: 'de',
    use_multi_channel: 'false',
  })
})
