export * from './estimate-input-tokens.ts'
export * from './estimate-text-tokens.ts'
export * from './image-tokens.ts'
export * from './published-rule.ts'
