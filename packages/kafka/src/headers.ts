import type { IHeaders } from 'kafkajs'

export type MessageHeaders = Record<string, string>

export const traceparentHeader = 'traceparent'
export const schemaVersionHeader = 'schema-version'

/** Kafka's header values are bytes and a name may occur more than once: UTF-8 strings here, and the last one wins. */
export function decodeHeaders(headers: IHeaders | undefined): MessageHeaders {
  const decoded: MessageHeaders = {}
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined) decoded[name] = last.toString()
  }
  return decoded
}
