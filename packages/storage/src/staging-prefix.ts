/** Where audio lies while its job waits and runs. The object sweep and the lifecycle rules of the bucket delete by it. */
export const STAGING_PREFIX = 'staging/'
/** Nothing staged can be opened longer than this. */
export const MAX_STAGING_MS = 3_600_000
