/**
 * The UTF-16 units of a text, halves of surrogate pairs as they are, with three 0 behind them: a loop that stops at what is no letter needs
 * no look at the end, and neither does who reads three characters ahead. Written by Node in one go: a loop over charCodeAt took a seventh of the whole estimate. A Uint16Array reads the bytes
 * as the machine orders them, which is little-endian wherever Node runs today.
 */
export function endedUnitsOf(text: string): Uint16Array {
  const length = text.length + 3
  const bytes = Buffer.allocUnsafe(length * Uint16Array.BYTES_PER_ELEMENT)
  bytes.write(text, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, length)
  units.fill(0, text.length)
  return units
}
