import { chatCompletions } from './chat-completions.ts'
import { imagesGenerations } from './images-generations.ts'
import { messages } from './messages.ts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { speech } from './speech.ts'
import { transcriptions } from './transcriptions.ts'

/** Every endpoint whose requests can be read. */
export const ENDPOINTS = [
  chatCompletions,
  messages,
  imagesGenerations,
  speech,
  transcriptions,
] as unknown as readonly PaidEndpointDefinition[]

/** The paid endpoints that have a worker. Each reads the requests that it parsed itself, so what they read is nobody else's concern. */
export const PAID = [
  chatCompletions,
  messages,
  imagesGenerations,
  speech,
  transcriptions,
] as unknown as readonly PaidEndpointDefinition[]
