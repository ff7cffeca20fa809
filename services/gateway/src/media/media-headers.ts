import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { type MediaObject, mediaKeyOf } from '@turnpike/storage'
import { CORS_HEADERS } from '../http/cors.ts'

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'audio/mpeg': 'mp3' } as const

/** A file never changes under its capability, so its validator follows from what it is, without a look at it. */
export function etagOf(object: MediaObject): string {
  return `"${createHash('sha256').update(mediaKeyOf(object)).digest('base64url').slice(0, 22)}"`
}

/** Shown in the page, and saved under this name. */
export function dispositionOf(object: MediaObject): string {
  return `inline; filename="${object.kind}-${etagOf(object).slice(1, 9)}.${EXTENSIONS[object.contentType]}"`
}

/** Kept by the browser that asked, never by what stands between, and never beyond the expiry. */
export function cacheControlOf(object: MediaObject, nowMs: number): string {
  return `private, max-age=${Math.max(0, Math.floor((object.expiresAtMs - nowMs) / 1000))}, immutable`
}

/** On every answer of the media route, errors and redirects included. */
export const MEDIA_HEADERS: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `${CORS_HEADERS['access-control-expose-headers']}, Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag`,
  // Pages that isolate themselves may still show the file.
  'cross-origin-resource-policy': 'cross-origin',
  // The address is the key: it must not travel on as a referrer.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Opened in a tab the file may show itself and nothing else.
  'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  'x-robots-tag': 'noindex, noarchive',
}

/** On every answer that speaks of the file itself. */
export function fileHeaders(object: MediaObject, nowMs: number): OutgoingHttpHeaders {
  return {
    ...MEDIA_HEADERS,
    'content-type': object.contentType,
    'content-disposition': dispositionOf(object),
    'cache-control': cacheControlOf(object, nowMs),
    'accept-ranges': 'bytes',
    etag: etagOf(object),
  }
}
