export * from './chain-transfers.ts'
export * from './paying-client.ts'
export * from './sandbox-admin.ts'
export * from './until.ts'
