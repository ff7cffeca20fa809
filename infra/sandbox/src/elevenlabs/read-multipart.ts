import { finished } from 'node:stream/promises'
import busboy from 'busboy'

export interface Multipart {
  fields: Map<string, string[]>
  file: Buffer | undefined
}

/** Reads a buffered multipart body; undefined when it is none, or ends before its last boundary. */
export async function readMultipart(contentType: string, body: Buffer): Promise<Multipart | undefined> {
  if (!/^multipart\/form-data\b/i.test(contentType)) return undefined
  const fields = new Map<string, string[]>()
  const files: { name: string; chunks: Buffer[] }[] = []
  try {
    const parser = busboy({
      headers: { 'content-type': contentType },
      limits: { fields: 2_000, files: 2, fieldSize: 1024 * 1024, fileSize: Number.POSITIVE_INFINITY },
    })
    parser.on('field', (name, value) => {
      fields.set(name, [...(fields.get(name) ?? []), value])
    })
    parser.on('file', (name, stream) => {
      const file: { name: string; chunks: Buffer[] } = { name, chunks: [] }
      files.push(file)
      stream.on('data', (chunk: Buffer) => file.chunks.push(chunk))
    })
    parser.end(body)
    await finished(parser)
  } catch {
    return undefined
  }
  const file = files.find(({ name }) => name === 'file')
  return { fields, file: file && Buffer.concat(file.chunks) }
}
