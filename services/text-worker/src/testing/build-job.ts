import { type JobEvent, parseChatCompletion } from '@turnpike/contracts'
import type { ObjectStore } from '@turnpike/storage'
import { buildJob } from '@turnpike/worker/testing'

/** A job as the gateway admits it, for a chat request with this text. */
export async function buildChatJob(
  store: ObjectStore,
  text: string,
  changes: Partial<JobEvent> & { body?: object } = {},
): Promise<JobEvent> {
  const { body, ...rest } = changes
  const parsed = parseChatCompletion({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: text }], ...body })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return await buildJob(store, { endpoint: '/v1/chat/completions', request: parsed.value }, rest)
}
