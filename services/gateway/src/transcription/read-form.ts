import { Busboy } from '@fastify/busboy'
import { invalid, MAX_AUDIO_BYTES, type Parsed, TRANSCRIPTION_FORM_FIELDS } from '@turnpike/contracts'

/** The file's name and type are never looked at. */
export type TranscriptionUploadForm = { fields: ReadonlyMap<string, string>; file: Uint8Array<ArrayBuffer> | undefined }

const MAX_FIELD_NAME_BYTES = 100
const MAX_FIELD_BYTES = 256
const FED_BYTES = 64 * 1_024
const LIMITS = {
  fieldNameSize: MAX_FIELD_NAME_BYTES,
  fieldSize: MAX_FIELD_BYTES,
  // One more than there may be, so that the one too many is seen and named.
  fields: TRANSCRIPTION_FORM_FIELDS.length + 1,
  files: 2,
  parts: TRANSCRIPTION_FORM_FIELDS.length + 3,
  fileSize: MAX_AUDIO_BYTES + 1,
  headerPairs: 20,
  headerSize: 16 * 1_024,
}

class Defect extends Error {
  readonly found: ReturnType<typeof invalid>
  constructor(found: ReturnType<typeof invalid>) {
    super('defective form')
    this.found = found
  }
}

const MALFORMED = invalid('body', 'The body is not well-formed multipart/form-data.', 'invalid_multipart')
// RFC 2046 gives it 70 characters.
const HAS_BOUNDARY = /;\s*boundary=(?:"[^"]{1,70}"|[^\s";,]{1,70})\s*(?:;|$)/i

const malformed = (message: string, param = 'body') => new Defect(invalid(param, message, 'invalid_multipart'))

/** Takes a whole multipart body apart: known fields only, each once, in plain UTF-8. */
export async function readTranscriptionForm(body: Buffer, contentType: string): Promise<Parsed<TranscriptionUploadForm>> {
  if (!HAS_BOUNDARY.test(contentType)) return MALFORMED
  try {
    return { ok: true, value: await takeApart(body, contentType) }
  } catch (error) {
    if (error instanceof Defect) return error.found
    // Whatever else it throws is its opinion of the body: no boundary, no end, a header that is none.
    return MALFORMED
  }
}

function takeApart(body: Buffer, contentType: string): Promise<TranscriptionUploadForm> {
  return new Promise((resolve, rejectWith) => {
    let isRefused = false
    const reject = (error: unknown): void => {
      isRefused = true
      rejectWith(error)
    }
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      isPartAFile: (name) => name === 'file',
    })
    const fields = new Map<string, string>()
    let file: Buffer[] | undefined
    parser.on('field', (name, value, nameTruncated, valueTruncated, encoding) => {
      if (nameTruncated || !TRANSCRIPTION_FORM_FIELDS.includes(name)) {
        return reject(new Defect(invalid('body', 'The form has a field that is not one of this request.')))
      }
      if (fields.has(name)) return reject(malformed(`${name} is there more than once.`, name))
      if (valueTruncated) return reject(new Defect(invalid(name, `${name} has more than ${MAX_FIELD_BYTES} bytes.`)))
      if (!isPlain(encoding)) return reject(malformed(`${name} has a transfer encoding.`, name))
      fields.set(name, value)
    })
    parser.on('file', (_name, stream, _filename, encoding) => {
      if (file !== undefined) reject(malformed('file is there more than once.', 'file'))
      else if (!isPlain(encoding)) reject(malformed('file has a transfer encoding.', 'file'))
      const chunks: Buffer[] = []
      file = chunks
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
    })
    const tooMany = () => reject(malformed('The form has too many parts.'))
    parser.on('partsLimit', tooMany)
    parser.on('filesLimit', tooMany)
    parser.on('fieldsLimit', tooMany)
    parser.on('error', reject)
    parser.on('finish', () => resolve({ fields, file: file && own(file) }))
    // Nothing is read on behind a defect: millions of parts beyond the limit take seconds to be ignored.
    for (let at = 0; at < body.length && !isRefused; at += FED_BYTES) parser.write(body.subarray(at, at + FED_BYTES))
    if (!isRefused) parser.end()
  })
}

/** Bytes in a memory block of their own, so that it can be handed over. */
function own(chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function isPlain(encoding: string): boolean {
  return ['7bit', '8bit', 'binary'].includes(encoding.toLowerCase())
}
