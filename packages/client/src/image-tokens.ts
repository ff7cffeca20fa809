import type { PromptImage } from '@turnpike/contracts'

// One count for both families of upstream models, and never below either: 2.x bills 258 per tile after scaling an image down to 3,072 pixels
// a side, 3.x up to 1,120 for an image. The side of a 2.x tile follows from the shorter side.

export const IMAGE_TOKENS = {
  tile_tokens: 258,
  least_tokens: 1_120,
  one_tile_up_to_px: 384,
  longest_side_px: 3_072,
  smallest_tile_px: 256,
  largest_tile_px: 768,
  /** The most that any size comes to: 12 by 2 tiles. */
  by_url_tokens: 6_192,
} as const

export function imageTokens(image: PromptImage): number {
  if (image === 'by_url') return IMAGE_TOKENS.by_url_tokens
  const longer = Math.max(image.widthPx, image.heightPx)
  const shorter = Math.min(image.widthPx, image.heightPx)
  return Math.max(IMAGE_TOKENS.least_tokens, IMAGE_TOKENS.tile_tokens * tilesOf(longer, shorter))
}

function tilesOf(longer: number, shorter: number): number {
  const { one_tile_up_to_px, longest_side_px, smallest_tile_px, largest_tile_px } = IMAGE_TOKENS
  if (longer <= one_tile_up_to_px) return 1
  const isScaled = longer > longest_side_px
  const long = isScaled ? longest_side_px : longer
  const short = isScaled ? Math.ceil((shorter * longest_side_px) / longer) : shorter
  const tile = Math.min(largest_tile_px, Math.max(smallest_tile_px, Math.floor((short * 2) / 3)))
  return Math.ceil(long / tile) * Math.ceil(short / tile)
}
