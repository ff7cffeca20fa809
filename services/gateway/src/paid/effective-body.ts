import type { QuoteResult } from '@turnpike/catalog'
import { canonical, type Parsed, type RequestProblem, sha256Hex } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { isForm } from '../http/content-type.ts'
import { parseJson } from '../http/parse-json.ts'
import type { InspectedAudio } from '../transcription/inspect-audio.ts'

export type Body = { contentType: string | undefined; bytes: Buffer }

/** All that follows from the bytes of a body alone. Plain data: it may have been found out in another thread. */
export type EffectiveBody =
  /** Nobody looked at it: too much of this client is waiting to be read. */
  | { kind: 'client_busy' }
  | { kind: 'not_json' }
  | { kind: 'too_complex' }
  | { kind: 'problem'; problem: RequestProblem }
  | { kind: 'unserved_model' }
  /** `canonicalBody` is undefined where the request holds what JSON cannot hold. */
  | { kind: 'parsed'; model: string; canonicalBody: undefined }
  | EffectiveContent

export type EffectiveContent = {
  kind: 'parsed'
  model: string
  /** RFC 8785 text of the effective body. */
  canonicalBody: string
  fingerprint: string
  quote: QuoteResult
  providerDeadlineMs: number
  audio: InspectedAudio | undefined
}

/** Parses, prices and hashes a JSON body: all the work on it that takes time. Pure. */
export function readJsonBody<Request extends { model: string }>(
  endpoint: PaidEndpointDefinition<Request>,
  bytes: Buffer,
): EffectiveBody {
  const json = parseJson(bytes)
  return json.ok ? effectiveOf(endpoint, endpoint.parse(json.value)) : { kind: json.defect }
}

/** The same for whatever the endpoint takes. */
export async function readAnyBody<Request extends { model: string }>(
  endpoint: PaidEndpointDefinition<Request>,
  { contentType, bytes }: Body,
): Promise<EffectiveBody> {
  return endpoint.multipart !== undefined && contentType !== undefined && isForm(contentType)
    ? effectiveOf(endpoint, await endpoint.multipart.parse(bytes, contentType))
    : readJsonBody(endpoint, bytes)
}

/** What follows from a body that was parsed. Pure. */
export function effectiveOf<Request extends { model: string }>(
  endpoint: PaidEndpointDefinition<Request>,
  parsed: Parsed<Request>,
): EffectiveBody {
  if (!parsed.ok) return { kind: 'problem', problem: parsed.problem }
  const request = parsed.value
  const { model } = request
  if (!endpoint.serves(model)) return { kind: 'unserved_model' }
  const canonicalBody = canonicalOf(endpoint.effectiveOf?.(request) ?? request)
  if (canonicalBody === undefined) return { kind: 'parsed', model, canonicalBody }
  return {
    kind: 'parsed',
    model,
    canonicalBody,
    fingerprint: fingerprintOfCanonical(endpoint.path, canonicalBody),
    quote: endpoint.price(request),
    providerDeadlineMs: endpoint.providerDeadlineMs(request),
    audio: endpoint.audioOf?.(request),
  }
}

/** `fingerprintOf(endpoint, body)` for a body that is canonical text already: RFC 8785 sorts "body" before "endpoint". */
function fingerprintOfCanonical(endpoint: string, canonicalBody: string): string {
  return sha256Hex(`{"body":${canonicalBody},"endpoint":${JSON.stringify(endpoint)}}`)
}

function canonicalOf(value: unknown): string | undefined {
  try {
    return canonical(value)
  } catch {
    return undefined // a lone surrogate, or a number beyond all numbers
  }
}
