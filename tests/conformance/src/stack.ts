import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '@turnpike/local'
import { payingFetch, type TestWallet } from '@turnpike/testing'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    stackHome: string
  }
}

/** The stack that all stack tests share. */
export function stackNow(): Stack {
  return JSON.parse(readFileSync(join(inject('stackHome'), 'stack.json'), 'utf8')) as Stack
}

export type Exchanged = { status: number; key: string | null; headers: Headers }

/**
 * A fetch that pays, and gives every request a key of its own that stays the same when it is sent again: retries of a client send the
 * same body, the steps of an agent do not. A key that the request brings is kept. What went over the wire is noted in `seen`.
 */
export function buyingFetch(wallet: TestWallet, seen: Exchanged[] = []): typeof fetch {
  const seed = randomUUID()
  const noting: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const response = await fetch(request)
    seen.push({ status: response.status, key: request.headers.get('x-idempotency-key'), headers: response.headers })
    return response
  }
  const paying = payingFetch(wallet, noting)
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!headers.has('x-idempotency-key')) {
      headers.set(
        'x-idempotency-key',
        createHash('sha256')
          .update(`${seed}\n${String(input)}\n${body}`)
          .digest('hex'),
      )
    }
    return paying(input, { ...init, headers })
  }
}

/** 2 x 2, red, as a data URL and bare. */
export const PNG_BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mP4z8AARAwQCgAf7gP9Y167WwAAAABJRU5ErkJggg=='
