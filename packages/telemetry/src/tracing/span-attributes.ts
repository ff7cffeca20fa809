/**
 * Everything that a span may say about what it spans, by the names of OpenTelemetry's semantic conventions where they have one. A
 * closed list, so that no prompt, result, key, signature, capability or token gets into a trace because an attribute was at hand (I9).
 */
export type SpanAttributes = {
  'http.request.method'?: string
  'http.response.status_code'?: number
  /** As the router knows it, never the path itself: that of a hosted file is the key to it. */
  'http.route'?: string
  'url.template'?: string
  'messaging.system'?: 'kafka'
  'messaging.operation.name'?: 'send' | 'process'
  'messaging.operation.type'?: 'send' | 'process'
  'messaging.destination.name'?: string
  'messaging.destination.partition.id'?: string
  'messaging.consumer.group.name'?: string
  'messaging.kafka.offset'?: number
  'gen_ai.operation.name'?: string
  /** The public model, as it is sold. */
  'gen_ai.request.model'?: string
  'gen_ai.usage.input_tokens'?: number
  'gen_ai.usage.output_tokens'?: number
  /** A code from a closed set, or the name of an error's class. Never its message. */
  'error.type'?: string
  'turnpike.request_id'?: string
  'turnpike.job_id'?: string
  /** Of a model's list of upstream targets. */
  'turnpike.target'?: number
  /** What came of it, from a closed set. */
  'turnpike.outcome'?: string
  'turnpike.attempt'?: number
}
