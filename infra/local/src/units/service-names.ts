/** The services of the stack, in the order in which they are listed; each has its row in services.ts. */
export const serviceNames = ['ledger', 'text-worker', 'media-worker', 'transcription-worker', 'gateway'] as const
export type ServiceName = (typeof serviceNames)[number]
