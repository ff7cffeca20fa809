export * from './kafka-rights.ts'
export * from './principals.ts'
export * from './redis-rights.ts'
export * from './s3-rights.ts'
