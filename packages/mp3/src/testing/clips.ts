import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg } from './ffmpeg.ts'

/** Rises with what the clips are made of: they are kept between runs. */
const EDITION = 3
const folder = join(tmpdir(), `turnpike-mp3-clips-${EDITION}`)

export const CLIP_MS = 12_000
const seconds = CLIP_MS / 1_000
const noise = ['-f', 'lavfi', '-i', `anoisesrc=d=${seconds}:a=0.2:seed=7:r=48000`]
const tones = ['-f', 'lavfi', '-i', `sine=330:d=${seconds}:r=48000`]
const stereo = [...noise, ...tones, '-filter_complex', 'amerge=inputs=2']
const mp3 = (rateHz: number, ...options: string[]) => ['-ar', String(rateHz), '-c:a', 'libmp3lame', ...options, '-f', 'mp3']
const without = ['-write_xing', '0', '-id3v2_version', '0']

/** What each clip is made of: ffmpeg's words without the output file. */
const RECIPES = {
  'mpeg1-44100-mono-cbr': [...noise, ...mp3(44_100, '-b:a', '128k')],
  'mpeg1-44100-stereo-vbr': [...stereo, ...mp3(44_100, '-q:a', '4')],
  'mpeg1-44100-stereo-abr': [...stereo, ...mp3(44_100, '-abr', '1', '-b:a', '160k')],
  'mpeg1-44100-bare': [...noise, ...mp3(44_100, '-b:a', '128k', ...without)],
  'mpeg1-44100-no-reservoir': [...noise, ...mp3(44_100, '-b:a', '96k', '-reservoir', '0', ...without)],
  'mpeg1-48000-stereo-320': [...stereo, ...mp3(48_000, '-b:a', '320k')],
  'mpeg1-48000-bare': [...noise, ...mp3(48_000, '-b:a', '64k', ...without)],
  'mpeg1-32000-mono': [...noise, ...mp3(32_000, '-b:a', '48k')],
  'mpeg2-24000-mono': [...noise, ...mp3(24_000, '-b:a', '32k')],
  'mpeg2-24000-bare': [...noise, ...mp3(24_000, '-b:a', '32k', ...without)],
  'mpeg2-22050-stereo-vbr': [...stereo, ...mp3(22_050, '-q:a', '5')],
  'mpeg2-16000-mono': [...noise, ...mp3(16_000, '-b:a', '24k')],
  'mpeg2.5-12000-mono': [...noise, ...mp3(12_000, '-b:a', '16k')],
  'mpeg2.5-11025-stereo': [...stereo, ...mp3(11_025, '-b:a', '32k')],
  'mpeg2.5-8000-mono': [...noise, ...mp3(8_000, '-b:a', '8k')],
  'mpeg2.5-8000-bare': [...noise, ...mp3(8_000, '-b:a', '8k', ...without)],
  wav: [...noise, '-f', 'wav'],
  'wav around mp3': [...noise, '-c:a', 'libmp3lame', '-f', 'wav'],
  aiff: [...noise, '-f', 'aiff'],
  flac: [...noise, '-f', 'flac'],
  vorbis: [...stereo, '-ar', '48000', '-c:a', 'vorbis', '-strict', '-2', '-f', 'ogg'],
  opus: [...noise, '-c:a', 'opus', '-strict', '-2', '-f', 'ogg'],
  'mp4 of aac': [...noise, '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'],
  'mp4 around mp3': [...noise, '-c:a', 'libmp3lame', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'],
  'aac in adts': [...noise, '-c:a', 'aac', '-f', 'adts'],
  'aac in adts after ID3': [...noise, '-c:a', 'aac', '-write_id3v2', '1', '-f', 'adts'],
  'mpeg layer II': [...noise, '-c:a', 'mp2', '-f', 'mp2'],
  webm: [...noise, '-c:a', 'opus', '-strict', '-2', '-f', 'webm'],
  'matroska around mp3': [...noise, '-c:a', 'libmp3lame', '-f', 'matroska'],
  'mpeg transport stream around mp3': [...noise, '-c:a', 'libmp3lame', '-f', 'mpegts'],
  wma: [...noise, '-c:a', 'wmav2', '-f', 'asf'],
  'avi around mp3': [...noise, '-c:a', 'libmp3lame', '-f', 'avi'],
  'flv around mp3': [...noise, '-ar', '44100', '-c:a', 'libmp3lame', '-f', 'flv'],
} satisfies Record<string, string[]>

export type ClipName = keyof typeof RECIPES

export const MP3_CLIPS = (Object.keys(RECIPES) as ClipName[]).filter(
  (name) => name.startsWith('mpeg1-') || /^mpeg2(\.5)?-/.test(name),
)
export const OTHER_CLIPS = (Object.keys(RECIPES) as ClipName[]).filter((name) => !MP3_CLIPS.includes(name))

/** The bytes of a clip of CLIP_MS; made when it is asked for the first time on this machine. */
export async function clip(name: ClipName): Promise<Buffer> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name.replaceAll(' ', '-'))
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}.draft`
    await ffmpeg([...RECIPES[name], draft])
    renameSync(draft, file)
  }
  return readFileSync(file)
}
