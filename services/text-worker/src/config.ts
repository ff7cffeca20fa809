import { isTextModel } from '@turnpike/contracts'
import { type Config, json, secret, url } from '@turnpike/service'
import { WORKER_CONFIG } from '@turnpike/worker'

/** The one place that names this service's environment variables. */
export const TEXT_WORKER_CONFIG = {
  ...WORKER_CONFIG,
  geminiBaseUrl: url('GEMINI_BASE_URL', { default: 'https://generativelanguage.googleapis.com' }),
  geminiApiKey: secret('GEMINI_API_KEY'),
  textRoutes: json('TEXT_ROUTES', parseTextRoutes),
}
export type TextWorkerConfig = Config<typeof TEXT_WORKER_CONFIG>

/** Upstream targets by public model, in order of preference. */
export type TextRouteTable = ReadonlyMap<string, readonly string[]>

function parseTextRoutes(value: unknown): TextRouteTable {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it must be an object')
  const routes = new Map<string, readonly string[]>()
  for (const [model, targets] of Object.entries(value)) {
    if (!isTextModel(model)) throw new Error(`${JSON.stringify(model.slice(0, 64))} is not a text model`)
    if (!Array.isArray(targets) || targets.length === 0) throw new Error(`${model} must have a list of targets`)
    routes.set(
      model,
      targets.map((target: unknown) => {
        if (typeof target !== 'string' || !/^[A-Za-z0-9._-]{1,128}$/.test(target)) {
          throw new Error(`${model} has a target that is not a model name`)
        }
        return target
      }),
    )
  }
  if (routes.size === 0) throw new Error('it must hold at least one model')
  return routes
}
