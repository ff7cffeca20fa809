import { standsAt } from './ascii.ts'

/** What other containers and codecs begin with; some of them hold Layer III frames that are not theirs to be priced by. */
const BEGINNINGS: readonly (readonly [offset: number, text: string])[] = [
  [0, 'RIFF'],
  [0, 'RF64'],
  [0, 'FORM'],
  [4, 'ftyp'],
  [0, 'OggS'],
  [0, 'fLaC'],
  [0, 'ADIF'],
  [0, 'caff'],
  [0, '.snd'],
  [0, 'wvpk'],
  [0, 'MAC '],
  [0, 'MPCK'],
  [0, 'MThd'],
  [0, '#!AMR'],
  [0, '\u001aE\u00df\u00a3'], // Matroska, WebM
  [0, '0&\u00b2u\u008ef\u00cf\u0011'], // ASF, WMA
  [0, '\u0000\u0000\u0001\u00ba'], // MPEG program stream
  [0, 'FLV'],
]

export function isOtherFormat(bytes: Uint8Array, at: number): boolean {
  return BEGINNINGS.some(([offset, text]) => standsAt(bytes, at + offset, text)) || isAdts(bytes, at)
}

/** AAC frames have the sync word of MPEG audio and a layer of zero. */
function isAdts(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0
}
