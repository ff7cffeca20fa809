import { Mp3Encoder } from '@breezystack/lamejs'
import { readFrameHeader, sideInfo } from './mp3-frame.ts'
import type { SpeechRequest } from './parse-speech.ts'

export interface Mp3Format {
  name: string
  sampleRate: number
  kbps: number
}

/** The formats of the sandbox's account, by their wire names. */
export const mp3Formats: ReadonlyMap<string, Mp3Format> = new Map(
  (
    [
      ['mp3_22050_32', 22_050, 32],
      ['mp3_24000_48', 24_000, 48],
      ['mp3_44100_32', 44_100, 32],
      ['mp3_44100_64', 44_100, 64],
      ['mp3_44100_96', 44_100, 96],
      ['mp3_44100_128', 44_100, 128],
    ] as const
  ).map(([name, sampleRate, kbps]) => [name, { name, sampleRate, kbps }]),
)

/** A speaking pace of about fifteen characters a second. */
export const millisecondsPerCharacter = 65
const minimumMs = 300
const framesPerSyllable = 8
const syllableCount = 12

/**
 * Speech as a tune: one syllable of a few frames after the other, chosen by the text, cut to its length. Encoding in real time
 * would cost a second of CPU for each twenty of audio, so each syllable is encoded once and its frames are shared by all answers.
 */
export function synthesize({ text, speed, format }: SpeechRequest): Buffer[] {
  const characters = [...text]
  const { silence, syllables, samplesPerFrame } = syllablesOf(format)
  const frameMs = (samplesPerFrame / format.sampleRate) * 1_000
  const totalMs = Math.max(minimumMs, (characters.length * millisecondsPerCharacter) / speed)
  let framesLeft = Math.ceil(totalMs / frameMs)
  const audio: Buffer[] = []
  for (let elapsedMs = 0; framesLeft > 0; elapsedMs += framesPerSyllable * frameMs) {
    const character = characters[Math.floor((elapsedMs * speed) / millisecondsPerCharacter)] ?? ' '
    const code = character.codePointAt(0) ?? 0
    const frames = character.trim() === '' ? silence : (syllables[code % syllables.length] ?? silence)
    audio.push(framesLeft >= framesPerSyllable ? frames.whole : Buffer.concat(frames.each.slice(0, framesLeft)))
    framesLeft -= framesPerSyllable
  }
  return audio
}

/** Encodes a format's syllables now (0.4 s of CPU) instead of in the first answer that needs them. */
export function prepareSyllables(formatName: string): void {
  const format = mp3Formats.get(formatName)
  if (format) syllablesOf(format)
}

interface Syllable {
  each: Buffer[]
  whole: Buffer
}

interface SyllableSet {
  silence: Syllable
  syllables: Syllable[]
  samplesPerFrame: number
}

const encoded = new Map<string, SyllableSet>()

function syllablesOf(format: Mp3Format): SyllableSet {
  const known = encoded.get(format.name)
  if (known) return known
  const samplesPerFrame = format.sampleRate >= 32_000 ? 1_152 : 576
  const set: SyllableSet = {
    samplesPerFrame,
    silence: encodeSyllable(format, samplesPerFrame, 0),
    // A minor pentatonic over two octaves, so that it is bearable.
    syllables: Array.from({ length: syllableCount }, (_, index) =>
      encodeSyllable(format, samplesPerFrame, 147 * 2 ** (([0, 3, 5, 7, 10][index % 5] ?? 0) / 12 + Math.floor(index / 5))),
    ),
  }
  encoded.set(format.name, set)
  return set
}

function encodeSyllable(format: Mp3Format, samplesPerFrame: number, hertz: number): Syllable {
  // Three frames more than needed: the encoder's delay at the start, its look-ahead at the end.
  const samples = (framesPerSyllable + 3) * samplesPerFrame
  const pcm = new Int16Array(samples)
  for (let index = 0; index < samples; index += 1) {
    const phase = (2 * Math.PI * hertz * index) / format.sampleRate
    const envelope = Math.sin((Math.PI * index) / samples) ** 2
    pcm[index] = hertz === 0 ? 0 : envelope * 9_000 * (Math.sin(phase) + 0.4 * Math.sin(2 * phase) + 0.2 * Math.sin(3 * phase))
  }
  const encoder = new Mp3Encoder(1, format.sampleRate, format.kbps)
  const frames = splitFrames(Buffer.concat([Buffer.from(encoder.encodeBuffer(pcm)), Buffer.from(encoder.flush())]))
  // Syllables meet in any order, so each must begin with a frame that borrows no bits from the one before.
  const start = frames.findIndex((frame, index) => index > 0 && borrowsNothing(frame))
  const each = frames.slice(start, start + framesPerSyllable)
  if (start < 0 || each.length < framesPerSyllable) throw new Error(`no independent frame in a syllable of ${format.name}`)
  return { each, whole: Buffer.concat(each) }
}

function splitFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const header = readFrameHeader(bytes, offset)
    if (!header) throw new Error('the encoder wrote no frame')
    frames.push(bytes.subarray(offset, offset + header.bytes))
    offset += header.bytes
  }
  return frames
}

/** `main_data_begin` is 0: nine bits of side information in MPEG-1, eight in MPEG-2. */
function borrowsNothing(frame: Buffer): boolean {
  const header = readFrameHeader(frame, 0)
  if (!header) return false
  const at = sideInfo(header).offset
  return (header.version === 1 ? frame.readUInt16BE(at) >>> 7 : frame.readUInt8(at)) === 0
}
