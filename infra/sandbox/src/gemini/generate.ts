import { createHash } from 'node:crypto'
import { type AnswerMode, jsonReply, type Reply } from '../reply.ts'
import { type Answer, chooseAnswer } from './choose-answer.ts'
import { countTokens, takeTokens } from './count-tokens.ts'
import { countPrompt, type OutputTokens, type PromptTokens, usageOf } from './count-usage.ts'
import { type GeminiModel, maxOutputTokensLimit } from './models.ts'
import { type GenerateRequest, lastUserText } from './request.ts'
import { thoughtTokens } from './think.ts'
import { signThought } from './thought-signature.ts'

export interface Generation {
  model: GeminiModel
  request: GenerateRequest
  callNumber: number
}

/** Everything that one answer is made from; `seed` is unique to the call. */
export interface Draft {
  model: GeminiModel
  request: GenerateRequest
  seed: string
  prompt: PromptTokens
  thoughts: number
  /** What the cap leaves after the thoughts. */
  outputLeft: number
}

export function startDraft({ model, request, callNumber }: Generation): Draft {
  const prompt = countPrompt(model, request)
  const config = request.generationConfig ?? {}
  const cap = config.maxOutputTokens ?? maxOutputTokensLimit
  const thoughts = Math.min(thoughtTokens(model, config, prompt.text + prompt.image + prompt.other), cap)
  const seed = createHash('sha256')
    .update(`${model.name}\n${callNumber}\n${lastUserText(request)}`)
    .digest('hex')
  return { model, request, seed, prompt, thoughts, outputLeft: cap - thoughts }
}

export function generateText(draft: Draft, mode: AnswerMode): Reply {
  if (mode === 'blocked') return blocked(draft)
  if (mode === 'no-content') return noContent(draft, 'STOP', { text: 0, image: 0, thoughts: draft.thoughts })
  // The cap holds for thinking and visible output together: what thinking has used up leaves no text at all.
  if (draft.outputLeft === 0) return noContent(draft, 'MAX_TOKENS', { text: 0, image: 0, thoughts: draft.thoughts })
  const answer = chooseAnswer(draft.request)
  return answer.kind === 'calls' ? callFunctions(draft, answer) : say(draft, answer.text)
}

function say(draft: Draft, text: string): Reply {
  const stopped = cutAtStop(text, draft.request.generationConfig?.stopSequences ?? [])
  const taken = takeTokens(stopped, draft.outputLeft)
  const output = { text: taken.tokens, image: 0, thoughts: draft.thoughts }
  const finishReason = taken.cut ? 'MAX_TOKENS' : 'STOP'
  if (taken.text === '') return noContent(draft, finishReason, output)
  const part: Record<string, unknown> = { text: taken.text }
  // Gemini 3 signs the last part of a text answer too.
  if (draft.model.generation === 3) part.thoughtSignature = signThought(draft.seed)
  return candidate(draft, [...thoughtParts(draft), part], finishReason, output)
}

function cutAtStop(text: string, sequences: readonly string[]): string {
  const positions = sequences.map((sequence) => text.indexOf(sequence)).filter((position) => position >= 0)
  return positions.length === 0 ? text : text.slice(0, Math.min(...positions))
}

function callFunctions(draft: Draft, answer: Answer & { kind: 'calls' }): Reply {
  const tokens = answer.calls.reduce((sum, { name, args }) => sum + countTokens(name) + countTokens(JSON.stringify(args)), 0)
  if (tokens > draft.outputLeft)
    return noContent(draft, 'MAX_TOKENS', { text: draft.outputLeft, image: 0, thoughts: draft.thoughts })
  const parts = answer.calls.map(({ name, args }, index) => {
    const part: Record<string, unknown> = { functionCall: { name, args } }
    if (draft.model.generation === 3) {
      part.functionCall = { id: callId(draft.seed, index), name, args }
      // Of parallel calls only the first carries the signature.
      if (index === 0) part.thoughtSignature = signThought(draft.seed)
    }
    return part
  })
  return candidate(draft, [...thoughtParts(draft), ...parts], 'STOP', { text: tokens, image: 0, thoughts: draft.thoughts })
}

function callId(seed: string, index: number): string {
  return createHash('sha256').update(`${seed}\n${index}`).digest('base64url').replace(/[_-]/g, '0').slice(0, 8).toLowerCase()
}

export function thoughtParts(draft: Draft): Record<string, unknown>[] {
  if (!draft.request.generationConfig?.thinkingConfig?.includeThoughts || draft.thoughts === 0) return []
  return [{ text: `**Reading the request**\n\nI weighed it for ${draft.thoughts} tokens.\n`, thought: true }]
}

/** The prompt itself was refused: a 200 without candidates. */
export function blocked(draft: Draft): Reply {
  return jsonReply(200, {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    ...tail(draft, { text: 0, image: 0, thoughts: 0 }),
  })
}

export function noContent(draft: Draft, finishReason: string, output: OutputTokens): Reply {
  return jsonReply(200, { candidates: [{ content: { role: 'model' }, finishReason, index: 0 }], ...tail(draft, output) })
}

export function candidate(
  draft: Draft,
  parts: readonly Record<string, unknown>[],
  finishReason: string,
  output: OutputTokens,
): Reply {
  return jsonReply(200, { candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }], ...tail(draft, output) })
}

function tail(draft: Draft, output: OutputTokens): Record<string, unknown> {
  return {
    usageMetadata: usageOf(draft.prompt, output),
    modelVersion: draft.model.name,
    responseId: Buffer.from(draft.seed.slice(0, 32), 'hex').toString('base64url'),
  }
}
