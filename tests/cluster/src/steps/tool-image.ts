import type { Options } from '../options.ts'

/** Pods of the tests' own run node from an image that is there anyway. */
export function toolImage({ tag }: Pick<Options, 'tag'>): string {
  return `turnpike/text-worker:${tag}`
}
