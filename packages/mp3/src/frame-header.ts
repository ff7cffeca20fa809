// MPEG audio Layer III frame headers (ISO 11172-3, 13818-3 and the 2.5 extension), as numbers only: the walk reads millions of them.

const MPEG_1_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
const MPEG_2_KBPS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]
/** By the two version bits: 2.5, reserved, 2, 1. */
const RATES_HZ = [
  [11_025, 12_000, 8_000, 0],
  [0, 0, 0, 0],
  [22_050, 24_000, 16_000, 0],
  [44_100, 48_000, 32_000, 0],
]
const MPEG_1 = 3

export const HEADER_BYTES = 4
/** 48 bytes of header and side information are the most that stands before the main data. */
export const SAMPLES_MPEG_1 = 1_152
export const SAMPLES_MPEG_2 = 576
/** The streams that can be told apart by a header: version bits and rate bits. */
export const STREAMS = 16

/** By version (2 bits), bitrate (4), rate (2), padding (1); 0 where the header is free format or reserved. */
const FRAME_BYTES = new Uint16Array(512)
for (let index = 0; index < FRAME_BYTES.length; index++) {
  const version = index >> 7
  const kbps = (version === MPEG_1 ? MPEG_1_KBPS : MPEG_2_KBPS)[(index >> 3) & 15] ?? 0
  const rateHz = RATES_HZ[version]?.[(index >> 1) & 3] ?? 0
  if (kbps > 0 && rateHz > 0) {
    FRAME_BYTES[index] = Math.floor(((version === MPEG_1 ? 144 : 72) * kbps * 1_000) / rateHz) + (index & 1)
  }
}

/** The length of the Layer III frame whose header stands at `at`; 0 when none does. Free format and reserved values are no headers. */
export function frameBytesAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff) return 0
  const second = bytes[at + 1] ?? 0
  if ((second & 0xe6) !== 0xe2) return 0
  if (((bytes[at + 3] ?? 2) & 3) === 2) return 0 // the reserved emphasis; also where the header is cut off
  return FRAME_BYTES[((second & 0x18) << 4) | ((bytes[at + 2] ?? 0) >> 1)] ?? 0
}

/** Version and rate of the header at `at` as one number below STREAMS. Frames of one stream have equal ones. */
export function streamAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 1] ?? 0) & 0x18) >> 1) | (((bytes[at + 2] ?? 0) >> 2) & 3)
}

export function rateHzOf(stream: number): number {
  return RATES_HZ[stream >> 2]?.[stream & 3] ?? 0
}

export function samplesPerFrame(stream: number): number {
  return stream >> 2 === MPEG_1 ? SAMPLES_MPEG_1 : SAMPLES_MPEG_2
}

export function frameMs(stream: number): number {
  return (samplesPerFrame(stream) * 1_000) / rateHzOf(stream)
}

export function isMono(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at + 3] ?? 0) & 0xc0) === 0xc0
}

/** Where the main data begins, after the header and the side information; a checksum would stand in between. */
export function sideInfoEnd(bytes: Uint8Array, at: number): number {
  const isMpeg1 = (bytes[at + 1] ?? 0) >> 3 === 0x1f
  return at + HEADER_BYTES + (isMpeg1 ? (isMono(bytes, at) ? 17 : 32) : isMono(bytes, at) ? 9 : 17)
}

/** What a header says that is none of Layer III with a bitrate. */
export function foreignHeaderAt(bytes: Uint8Array, at: number): 'free_format' | 'other_layer' | undefined {
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || (second & 0x18) === 0x08) return undefined
  if ((third & 0x0c) === 0x0c || third >> 4 === 15) return undefined
  const layerBits = (second >> 1) & 3
  if (layerBits === 1) return third >> 4 === 0 ? 'free_format' : undefined
  return layerBits === 0 ? undefined : 'other_layer'
}
