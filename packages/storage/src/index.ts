export * from './claim-check.ts'
export * from './hosted-media.ts'
export * from './media-object.ts'
export * from './object-store.ts'
