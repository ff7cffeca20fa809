export * from './claim-check.ts'
export * from './object-store.ts'
