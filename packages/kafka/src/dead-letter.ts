import { deadLetterTopic } from '@turnpike/contracts'
import type { ConsumedMessage } from './consumed-message.ts'
import type { Publisher } from './publisher.ts'

export const deadLetterHeaders = {
  reason: 'dead-letter-reason',
  topic: 'dead-letter-topic',
  partition: 'dead-letter-partition',
  offset: 'dead-letter-offset',
} as const

/** The message as it was, with why and where from in its headers. */
export async function publishDeadLetter(
  publisher: Pick<Publisher, 'publish'>,
  message: ConsumedMessage,
  reason: string,
): Promise<void> {
  await publisher.publish({
    topic: deadLetterTopic(message.topic),
    key: message.key ?? `${message.partition}-${message.offset}`,
    value: message.value,
    headers: {
      ...message.headers,
      [deadLetterHeaders.reason]: reason,
      [deadLetterHeaders.topic]: message.topic,
      [deadLetterHeaders.partition]: String(message.partition),
      [deadLetterHeaders.offset]: String(message.offset),
    },
  })
}
