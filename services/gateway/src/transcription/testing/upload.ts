export type FormPart = { name: string; content: string | Buffer; filename?: string; type?: string; encoding?: string }

/** Silent frames: 417 bytes of MPEG-1 at 128 kbit/s and 44.1 kHz play 26.12 ms, 72 bytes of MPEG-2.5 at 8 kbit/s and 8 kHz 72 ms. */
export function framesOf(count: number, bytes: 417 | 72 = 417): Buffer {
  const frame = Buffer.alloc(bytes)
  Buffer.from(bytes === 417 ? [0xff, 0xfb, 0x90, 0x00] : [0xff, 0xe3, 0x18, 0xc0]).copy(frame)
  return Buffer.alloc(count * bytes, frame)
}

const BOUNDARY = '----a-boundary-of-our-own'

export function formOf(parts: readonly FormPart[], boundary = BOUNDARY): { body: Buffer; contentType: string } {
  const pieces = parts.flatMap(({ name, content, filename, type, encoding }) => [
    Buffer.from(
      [
        `--${boundary}`,
        `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ...(encoding === undefined ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}
