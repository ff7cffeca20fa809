import { type Ed25519PublicJwk, type TokenKeys, tokenFor, tokenKeyOf } from '@turnpike/sealing'
import { AuditImpossible, callJson } from './http-json.ts'

export type GatewayClient = {
  /** The document that the holder of this receipt's token gets; undefined when it is not found. */
  receipt(receiptId: string): Promise<unknown | undefined>
  /** The published keys that receipts are signed with. */
  keys(): Promise<Ed25519PublicJwk[]>
}

/**
 * The public door, used as a client would. A receipt's token follows from its id, so nobody has to keep it. Every key of the list opens
 * it; the one of now is the one that each gateway has, also while a rotation is rolled out.
 */
export function openGatewayClient(deps: {
  urls: readonly string[]
  receiptTokenKeys: TokenKeys
  now: () => number
}): GatewayClient {
  return {
    async receipt(receiptId) {
      const keyId = tokenKeyOf(deps.receiptTokenKeys, Math.floor(deps.now() / 1000))
      const token = tokenFor(deps.receiptTokenKeys, receiptId, keyId)
      const { status, json } = await callJson(deps.urls, { path: `/v1/receipts/${receiptId}`, token })
      if (status === 404) return undefined
      if (status !== 200) throw new AuditImpossible(`the gateway answered ${status} to a receipt's own token`)
      return json
    },
    async keys() {
      const { status, json } = await callJson(deps.urls, { path: '/.well-known/jwks.json' })
      const keys = typeof json === 'object' && json !== null && 'keys' in json ? json.keys : undefined
      if (status !== 200 || !Array.isArray(keys))
        throw new AuditImpossible(`the gateway answered ${status} to /.well-known/jwks.json`)
      return keys.filter(isEd25519)
    },
  }
}

function isEd25519(key: unknown): key is Ed25519PublicJwk {
  if (typeof key !== 'object' || key === null) return false
  const { kty, crv, kid, x } = key as Record<string, unknown>
  return kty === 'OKP' && crv === 'Ed25519' && typeof kid === 'string' && typeof x === 'string'
}
