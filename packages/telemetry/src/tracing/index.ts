export type { SpanAttributes } from './span-attributes.ts'
export * from './spans.ts'
