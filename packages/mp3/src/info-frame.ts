import { standsAt } from './ascii.ts'
import { sideInfoEnd } from './frame-header.ts'

const VBRI_OFFSET = 36
const CHECKSUM_BYTES = 2

/** Whether the frame at `at` holds seek data instead of sound (Xing, Info, VBRI). Nothing that it says is read. */
export function isInfoFrame(bytes: Uint8Array, at: number): boolean {
  const mainData = sideInfoEnd(bytes, at)
  // LAME does not leave room for the checksum that it announces; others do.
  const marked = [mainData, mainData + CHECKSUM_BYTES].some((place) =>
    ['Xing', 'Info'].some((mark) => standsAt(bytes, place, mark)),
  )
  return marked || standsAt(bytes, at + VBRI_OFFSET, 'VBRI')
}
