/** Whoever has an account of its own in Kafka, Redis or the object store; named alike everywhere. */
export const PRINCIPALS = [
  'gateway',
  'text-worker',
  'media-worker',
  'transcription-worker',
  'ledger',
  'auditor',
  // Makes the topics at an installation.
  'topics',
  // Scales the workers by their lag.
  'keda',
] as const
export type Principal = (typeof PRINCIPALS)[number]
