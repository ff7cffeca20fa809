import { randomBytes } from 'node:crypto'

export type UploadKind = 'json' | 'multipart' | 'chat'
export type UploadBody = { path: string; contentType: string; bytes: Buffer }

const BOUNDARY = '----turnpike-upload'
/** MPEG-1, 128 kbit/s, 44.1 kHz. */
const FRAME_BYTES = 417

/** A body of about `bytes`: an MP3 of whole frames with random content, in either encoding, or a chat of plain words. */
export function uploadBody(kind: UploadKind, bytes: number): UploadBody {
  if (kind === 'chat') {
    const content = 'the quick brown fox '.repeat(Math.ceil(bytes / 20))
    const body = JSON.stringify({ model: 'gm-2.5-flash', messages: [{ role: 'user', content }] })
    return { path: '/v1/chat/completions', contentType: 'application/json', bytes: Buffer.from(body) }
  }
  const path = '/v1/audio/transcriptions'
  if (kind === 'json') {
    const body = JSON.stringify({ model: 'el/scribe-v2', audio_base64: mp3((bytes * 3) / 4).toString('base64') })
    return { path, contentType: 'application/json', bytes: Buffer.from(body) }
  }
  const part = (disposition: string, content: string | Buffer) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]
  const parts = [...part('name="model"', 'el/scribe-v2'), ...part('name="file"; filename="a.mp3"', mp3(bytes))]
  return {
    path,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  }
}

function mp3(bytes: number): Buffer {
  const frames = Math.floor(bytes / FRAME_BYTES)
  const audio = randomBytes(frames * FRAME_BYTES)
  for (let frame = 0; frame < frames; frame++) audio.set([0xff, 0xfb, 0x90, 0x00], frame * FRAME_BYTES)
  return audio
}
