import { NETWORK } from '@turnpike/payments'
import { bearerCheck, type Logger } from '@turnpike/service'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { describeRpcError } from './describe-rpc-error.ts'
import type { FacilitatorMetrics } from './facilitator-metrics.ts'
import { followRequest } from './follow-request.ts'
import { parseRequest } from './parse-request.ts'
import type { PaymentFacilitator } from './payment-facilitator.ts'

/** A payment with its echoed discovery schemas, and the requirements once more. */
const MAX_BODY = '128kb'

/** The wire of the official reference facilitator: same paths, bodies and status codes. */
export function createHttpApp(deps: {
  facilitator: PaymentFacilitator
  /** Lower-cased; undefined when any will do. */
  recipients: readonly string[] | undefined
  /** Each is accepted; undefined when nobody is asked for one. */
  tokens: readonly string[] | undefined
  metrics: FacilitatorMetrics
  logger: Logger
}): Express {
  const { facilitator, recipients, tokens, metrics, logger } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  if (tokens !== undefined) app.use(onlyWith(tokens))
  app.use(express.json({ limit: MAX_BODY }))
  app.use(followRequest(logger))

  app.get('/supported', (_request, response) => {
    response.json(facilitator.supported())
  })

  app.post('/verify', async (request, response) => {
    const parsed = parseRequest(request.body, recipients)
    switch (parsed.kind) {
      case 'incomplete':
        response.status(400).json(INCOMPLETE)
        return
      case 'defect':
        metrics.verified('rejected')
        response.json({ isValid: false, invalidReason: parsed.reason, invalidMessage: parsed.detail })
        return
      case 'request': {
        const verdict = await facilitator.verify(parsed.payment, parsed.requirements)
        const result = verdict.kind !== 'answer' ? verdict.kind : verdict.response.isValid ? 'valid' : 'rejected'
        metrics.verified(result)
        response.locals.outcome = result
        if (verdict.kind !== 'answer') response.status(503).json(NO_ANSWER[verdict.kind])
        else response.json(verdict.response)
      }
    }
  })

  app.post('/settle', async (request, response) => {
    const parsed = parseRequest(request.body, recipients)
    switch (parsed.kind) {
      case 'incomplete':
        response.status(400).json(INCOMPLETE)
        return
      case 'defect':
        metrics.settled('refused')
        response.json(notSettled(parsed.reason, parsed.detail))
        return
      case 'request': {
        const startedAt = performance.now()
        const verdict = await facilitator.settle(parsed.payment, parsed.requirements)
        const result = verdict.kind !== 'answer' ? verdict.kind : resultOf(verdict.response)
        metrics.settled(result, (performance.now() - startedAt) / 1000)
        response.locals.outcome = result
        if (verdict.kind !== 'answer') response.status(503).json(NO_ANSWER[verdict.kind])
        else response.json(verdict.response)
      }
    }
  })

  app.use((_request, response) => {
    response.status(404).json({ error: 'Not found' })
  })
  app.use(answerFault)
  return app

  // Express knows it for a fault handler by its four parameters.
  function answerFault(error: unknown, _request: Request, response: Response, next: NextFunction): void {
    if (response.headersSent) return next(error)
    const status = statusOf(error)
    if (status < 500) {
      response.status(status).json({ error: status === 413 ? 'Body too large' : 'Body is not a JSON object' })
      return
    }
    logger.error({ why: describeRpcError(error) }, 'request failed')
    response.status(500).json({ error: 'Internal error' })
  }
}

/** Before anything of the request is read. */
function onlyWith(tokens: readonly string[]): (request: Request, response: Response, next: NextFunction) => void {
  const isAllowed = bearerCheck(tokens)
  return (request, response, next) => {
    if (isAllowed(request.headers.authorization)) return next()
    response.setHeader('www-authenticate', 'Bearer')
    response.status(401).json({ error: 'unauthorized' })
  }
}

const INCOMPLETE = { error: 'Missing paymentPayload or paymentRequirements' }
const NO_ANSWER = {
  unavailable: { error: 'The chain cannot be asked at the moment' },
  busy: { error: 'Too many payments are being checked at the moment' },
}

function notSettled(errorReason: string, errorMessage: string) {
  return { success: false, errorReason, errorMessage, transaction: '', network: NETWORK }
}

function resultOf(response: { success: boolean; transaction: string; errorReason?: string }): 'settled' | 'pending' | 'refused' {
  if (response.success) return 'settled'
  return response.errorReason === 'settlement_pending' ? 'pending' : 'refused'
}

/** body-parser's errors carry their status; anything else is ours. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500
}
