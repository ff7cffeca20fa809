/** Whether the client already has the file: If-None-Match names its validator (weak or not) or any. */
export function hasItAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}

/** Whether a Range header counts: If-Range is absent or names exactly this file. There are no dates here that it could name. */
export function rangeStillHolds(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
