export * from './capability-token.ts'
export * from './detached-jws.ts'
export * from './keyring.ts'
export * from './seal.ts'
