/** One MPEG audio Layer III frame header. */
export interface FrameHeader {
  version: 1 | 2 | 2.5
  sampleRate: number
  bitrateKbps: number
  samples: number
  bytes: number
  mono: boolean
  hasCrc: boolean
}

const version1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const version2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const sampleRates = { 1: [44_100, 48_000, 32_000], 2: [22_050, 24_000, 16_000], 2.5: [11_025, 12_000, 8_000] } as const

/** Free format and reserved values are no frames. */
export function readFrameHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  if (offset + 4 > bytes.length) return undefined
  const word = bytes.readUInt32BE(offset)
  if (word >>> 21 !== 0x7ff || ((word >>> 17) & 3) !== 1) return undefined
  const version = ([2.5, undefined, 2, 1] as const)[(word >>> 19) & 3]
  if (version === undefined) return undefined
  const bitrateKbps = (version === 1 ? version1Kbps : version2Kbps)[(word >>> 12) & 15] ?? 0
  const sampleRate = sampleRates[version][(word >>> 10) & 3]
  if (bitrateKbps === 0 || sampleRate === undefined) return undefined
  const samples = version === 1 ? 1_152 : 576
  const padding = (word >>> 9) & 1
  return {
    version,
    sampleRate,
    bitrateKbps,
    samples,
    bytes: Math.floor(((samples / 8) * bitrateKbps * 1_000) / sampleRate) + padding,
    mono: ((word >>> 6) & 3) === 3,
    hasCrc: ((word >>> 16) & 1) === 0,
  }
}

/** Where the side information begins, and how long it is. */
export function sideInfo(header: FrameHeader): { offset: number; bytes: number } {
  const bytes = header.version === 1 ? (header.mono ? 17 : 32) : header.mono ? 9 : 17
  return { offset: header.hasCrc ? 6 : 4, bytes }
}
