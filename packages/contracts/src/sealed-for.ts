/** What a sealed content is bound to (additional authenticated data): it opens for its own job and use only. */
export const sealedFor = {
  request: (jobId: string) => `turnpike:request:${jobId}`,
  payment: (jobId: string) => `turnpike:payment:${jobId}`,
  result: (jobId: string) => `turnpike:result:${jobId}`,
} as const
