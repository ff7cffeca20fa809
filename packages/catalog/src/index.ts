export {
  estimateInputTokens,
  INPUT_TOKEN_ESTIMATE,
  INPUT_TOKEN_TABLES_PATH,
  INPUT_TOKEN_TABLES_SHA256,
  INPUT_TOKEN_TABLES_TEXT,
} from '@turnpike/client'
export * from './catalog.ts'
export * from './models.ts'
export * from './price-book.ts'
export * from './price-lines.ts'
export * from './quote.ts'
export * from './quote-image.ts'
export * from './quote-speech.ts'
export * from './quote-transcription.ts'
export * from './rational.ts'
export * from './read-price-list.ts'
export * from './voice-list.ts'
export * from './voices.ts'
