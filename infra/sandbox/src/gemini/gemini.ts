import type { PreparedCall, Reply, Upstream, UpstreamRequest } from '../reply.ts'
import { findContentProblems, findContentRefusal } from './check-contents.ts'
import { findConfigProblems, findUnsupported } from './check-generation-config.ts'
import { findToolProblems, findToolRefusal } from './check-tools.ts'
import { countPrompt } from './count-usage.ts'
import { generateText, startDraft } from './generate.ts'
import { generateImage } from './generate-image.ts'
import { findModel, type GeminiModel, inputTokenLimit } from './models.ts'
import { type DecodedRequest, decodeRequest, type GenerateRequest } from './request.ts'
import {
  apiKeyInvalid,
  apiKeyMissing,
  errorReply,
  internalError,
  invalidArgument,
  modelNotFound,
  quotaExhausted,
  unavailable,
  type WireError,
} from './wire-error.ts'

/** v1beta is what adapters call; the vendor's own client, from 3.0 on, calls v1. */
const route = /^\/(v1|v1beta)\/models\/([^/:]+):generateContent$/

/** Google Gemini's `generateContent`, REST, v1beta. */
export function createGemini(deps: { apiKey: string }): Upstream {
  return {
    name: 'gemini',
    prepare: (request) => prepare(deps.apiKey, request),
    faultReply(status) {
      switch (status) {
        case 429:
          return errorReply(quotaExhausted())
        case 500:
          return errorReply(internalError())
        case 503:
          return errorReply(unavailable())
      }
    },
    tooLarge: () => errorReply(invalidArgument('Request payload size exceeds the limit: 67108864 bytes.')),
  }
}

function prepare(apiKey: string, request: UpstreamRequest): PreparedCall {
  const [, version = '', modelName = ''] = route.exec(request.path) ?? []
  const model = decode(modelName)
  if (request.method !== 'POST' || model === '') return { model, text: '', answer: () => pageNotFound(request.path) }
  const decoded = decodeRequest(request.body)
  return {
    model,
    text: decoded.text,
    answer(mode, callNumber) {
      const checked = check({ apiKey, request, version, modelName: model, decoded })
      if (!checked.ok) return errorReply(checked.error)
      const draft = startDraft({ model: checked.model, request: checked.request, callNumber })
      return checked.model.imageOutput ? generateImage(draft, mode) : generateText(draft, mode)
    },
  }
}

type Checked = { ok: true; model: GeminiModel; request: GenerateRequest } | { ok: false; error: WireError }

interface ReceivedCall {
  apiKey: string
  request: UpstreamRequest
  version: string
  modelName: string
  decoded: DecodedRequest
}

function check({ apiKey, request, version, modelName, decoded }: ReceivedCall): Checked {
  const key = request.header('x-goog-api-key') ?? request.query.get('key')
  if (key === undefined || key === null || key === '') return { ok: false, error: apiKeyMissing() }
  if (key !== apiKey) return { ok: false, error: apiKeyInvalid() }
  if (!decoded.ok) return decoded
  const model = findModel(modelName)
  if (!model) return { ok: false, error: modelNotFound(modelName, version) }
  const error = findRefusal(model, decoded.request)
  return error ? { ok: false, error } : { ok: true, model, request: decoded.request }
}

function findRefusal(model: GeminiModel, request: GenerateRequest): WireError | undefined {
  const problems = [
    ...findContentProblems(request),
    ...findToolProblems(request),
    ...findConfigProblems(request.generationConfig ?? {}),
  ]
  if (problems.length > 0) return invalidArgument(problems.map((problem) => `* ${problem}\n`).join(''))
  if (request.cachedContent !== undefined)
    return { code: 403, message: 'CachedContent not found (or permission denied)', status: 'PERMISSION_DENIED' }
  const sentence = findToolRefusal(request) ?? findUnsupported(model, request) ?? findContentRefusal(model, request)
  if (sentence !== undefined) return invalidArgument(sentence)
  const { text, image, other } = countPrompt(model, request)
  if (text + image + other <= inputTokenLimit) return undefined
  return invalidArgument(
    `The input token count (${text + image + other}) exceeds the maximum number of tokens allowed (${inputTokenLimit}).`,
  )
}

/** A malformed escape is a name that no model has. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** An unknown path is answered by the front end, in HTML. */
function pageNotFound(path: string): Reply {
  const safePath = path.replace(/[^A-Za-z0-9/:._-]/g, '')
  return {
    status: 404,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: [
      Buffer.from(
        `<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n<p><b>404.</b> <ins>That’s an error.</ins>\n<p>The requested URL <code>${safePath}</code> was not found on this server. <ins>That’s all we know.</ins>\n`,
      ),
    ],
  }
}
