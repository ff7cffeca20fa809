import { createHash, timingSafeEqual } from 'node:crypto'
import { parsedBy, type Variable } from '../config.ts'

/** One or several, so that a new one can be given to everybody before the old one goes: the first is sent, each is accepted. */
export type BearerTokens = readonly [string, ...string[]]

const LEAST_LENGTH = 16

export function bearerTokens(name: string): Variable<BearerTokens> {
  return parsedBy(name, (value) => {
    const [first, ...others] = value.split(',').map((token) => token.trim())
    if (first === undefined || [first, ...others].some((token) => token.length < LEAST_LENGTH))
      throw new Error(`each token must have at least ${LEAST_LENGTH} characters`)
    return [first, ...others]
  })
}

/** What whoever has these tokens sends; nothing without any. */
export function bearerHeader(tokens: BearerTokens | undefined): Record<string, string> {
  return tokens === undefined ? {} : { authorization: `Bearer ${tokens[0]}` }
}

/** Whether an Authorization header carries one of the tokens; takes as long for a wrong one as for a right one. */
export function bearerCheck(tokens: readonly string[]): (authorization: string | undefined) => boolean {
  const expected = tokens.map((token) => digest(`Bearer ${token}`))
  return (authorization) => {
    const given = digest(authorization ?? '')
    return expected.map((one) => timingSafeEqual(one, given)).includes(true)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
