import type { StopReason } from '../../text/text-completion.ts'

/** `unusable`: executed, but there is no answer in it. */
export type Finish = StopReason | 'unusable'

const FINISH: Record<string, Finish> = {
  FINISH_REASON_UNSPECIFIED: 'finished',
  STOP: 'finished',
  MAX_TOKENS: 'length',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  LANGUAGE: 'filtered',
  IMAGE_SAFETY: 'filtered',
  IMAGE_PROHIBITED_CONTENT: 'filtered',
  IMAGE_RECITATION: 'filtered',
  MALFORMED_FUNCTION_CALL: 'unusable',
  UNEXPECTED_TOOL_CALL: 'unusable',
  TOO_MANY_TOOL_CALLS: 'unusable',
  MALFORMED_RESPONSE: 'unusable',
  MISSING_THOUGHT_SIGNATURE: 'unusable',
  NO_IMAGE: 'unusable',
  IMAGE_OTHER: 'unusable',
  CONTINUATION: 'unusable',
  OTHER: 'unusable',
}

/** A reason that is not in the table counts as OTHER; none at all as UNSPECIFIED. */
export function finishOf(finishReason: string | undefined): Finish {
  if (finishReason === undefined) return 'finished'
  return (Object.hasOwn(FINISH, finishReason) ? FINISH[finishReason] : undefined) ?? 'unusable'
}
