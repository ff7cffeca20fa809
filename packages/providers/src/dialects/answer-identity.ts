/**
 * What the service itself says about an answer: the alias that the client sent, the seconds since the epoch, and ids. `newId` gives
 * another random one (letters and digits) each time; what stands before it is the dialect's.
 */
export type AnswerIdentity = { model: string; createdS: number; newId(): string }
