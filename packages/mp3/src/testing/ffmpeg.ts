import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { obtainFfmpeg } from '@turnpike/local'

export class FfmpegFailed extends Error {}

let program: Promise<string> | undefined

/** Runs ffmpeg and gives back what it writes to its output. Throws a sentence that says so when ffmpeg is missing. */
export async function ffmpeg(args: readonly string[]): Promise<Buffer> {
  program ??= obtainFfmpeg({ say: () => {}, signal: AbortSignal.timeout(110_000) })
  const child = spawn(await program, ['-v', 'error', '-nostdin', '-y', '-threads', '1', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  return await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(Buffer.concat(chunks)) : reject(new FfmpegFailed(`ffmpeg ${args.join(' ')} ended with ${code}`)),
    )
  })
}

const DECODED_HZ = 8_000

/**
 * How long it plays: a true decode, every frame of it. ffmpeg would otherwise cut off what a LAME header calls the encoder's delay and
 * padding, which is a claim, too. Undefined for what ffmpeg does not open.
 */
export async function decodedMs(bytes: Uint8Array): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-mp3-'))
  try {
    const file = join(folder, 'audio.mp3')
    writeFileSync(file, bytes)
    const format = ['-ac', '1', '-ar', String(DECODED_HZ), '-f', 's16le', 'pipe:1']
    const decode = ffmpeg(['-flags2', '+skip_manual', '-f', 'mp3', '-i', file, '-map', '0:a:0', ...format])
    const pcm = await decode.catch((error: unknown) => {
      if (error instanceof FfmpegFailed) return undefined
      throw error
    })
    return pcm && (pcm.length / 2 / DECODED_HZ) * 1_000
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
