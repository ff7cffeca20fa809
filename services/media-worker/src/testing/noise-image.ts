import sharp, { type Sharp } from 'sharp'

/** A picture with the entropy of a photograph. */
export function noise({ width = 1_024, height = 1_024 } = {}): Sharp {
  const create = { width, height, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma: 6 } } as const
  return sharp({ create })
}
