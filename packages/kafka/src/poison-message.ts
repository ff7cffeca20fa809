/** Thrown by a handler for a message that no retry can help: it goes to the dead-letter topic and the partition goes on. */
export class PoisonMessage extends Error {
  override readonly name = 'PoisonMessage'
  /** A short word for operators and outcomes (`schema_invalid`). It is stored in a header: no contents of the message. */
  readonly reason: string

  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.reason = reason
  }
}
