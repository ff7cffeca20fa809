export * from './build-job.ts'
export * from './test-parts.ts'
export * from './test-worker.ts'
export * from './worker-process.ts'
