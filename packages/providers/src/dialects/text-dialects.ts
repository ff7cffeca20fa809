import type { EffectiveChatRequest, EffectiveMessagesRequest } from '@turnpike/contracts'
import type { FetchedImages } from '../text/fetched-images.ts'
import type { TextCompletion } from '../text/text-completion.ts'
import type { TextRequest } from '../text/text-request.ts'
import type { AnswerIdentity } from './answer-identity.ts'
import { messagesImageUrls, readMessagesRequest } from './anthropic-messages/read-request.ts'
import { writeMessage } from './anthropic-messages/write-response.ts'
import { chatImageUrls, readChatRequest } from './openai-chat/read-request.ts'
import { writeChatCompletion } from './openai-chat/write-response.ts'

/** One text endpoint: its effective requests in, its response bodies out. */
export type TextDialect<Request> = {
  /** The images to fetch before `read`, each once. */
  imageUrls(request: Request): string[]
  read(request: Request, images: FetchedImages): TextRequest
  write(completion: TextCompletion, identity: AnswerIdentity, options: { rawOutput: boolean }): Record<string, unknown>
}

export const CHAT_DIALECT: TextDialect<EffectiveChatRequest> = {
  imageUrls: chatImageUrls,
  read: readChatRequest,
  write: writeChatCompletion,
}

export const MESSAGES_DIALECT: TextDialect<EffectiveMessagesRequest> = {
  imageUrls: messagesImageUrls,
  read: readMessagesRequest,
  write: writeMessage,
}
