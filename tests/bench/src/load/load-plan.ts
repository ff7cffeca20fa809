/** What the load process is asked to do; a plan travels as one message. */
export type LoadPlan = {
  url: string
  body: string
  connections: number
  /** The status and the header that a right answer has; anything else is an error. */
  expect: { status: number; header: string }
} & (
  | { kind: 'unpaid'; seconds: number }
  /** `paymentsFile` holds one PAYMENT-SIGNATURE per line; each is sent once, from line `first` on. */
  | { kind: 'paid'; paymentsFile: string; first: number; count: number }
)

export type LoadResult = {
  requests: number
  /** From the first request to the last answer. */
  elapsedMs: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Answers by status, and requests without an answer by the name of their error. */
  answers: Record<string, number>
  errors: number
}
