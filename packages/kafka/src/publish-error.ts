/**
 * | code | stored |
 * |---|---|
 * | publish_uncertain | it was sent and no answer came in time: it may be stored, once or several times, or not at all |
 * | publish_unsent | its deadline passed before it was first sent: not stored |
 * | publisher_overloaded | the queue is full: not stored |
 * | publisher_closed | not stored |
 * | message_too_large | not stored |
 */
export type PublishErrorCode =
  | 'publish_uncertain'
  | 'publish_unsent'
  | 'publisher_overloaded'
  | 'publisher_closed'
  | 'message_too_large'

export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly code: PublishErrorCode

  constructor(code: PublishErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** False only when nothing of the message ever left this process. */
  get maybeStored(): boolean {
    return this.code === 'publish_uncertain'
  }
}
