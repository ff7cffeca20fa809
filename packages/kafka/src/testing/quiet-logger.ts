import type { Logger } from '../logger.ts'

/** Silent, unless KAFKA_TEST_LOG asks to see what happens. */
export const testLogger: Logger = process.env.KAFKA_TEST_LOG
  ? { debug: () => {}, info: console.error, warn: console.error, error: console.error }
  : { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
