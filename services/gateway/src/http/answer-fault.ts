import type { ServerResponse } from 'node:http'
import type { Logger } from '@turnpike/service'
import { LedgerUnavailable } from '../ledger/ledger-client.ts'
import type { Call } from './call.ts'
import { type SendDeps, sendProblem } from './send-answer.ts'

/** What was thrown and nobody expected: 503 when the ledger is away, else a 500, which is a defect. */
export function answerFault(deps: SendDeps & { logger: Logger }, response: ServerResponse, call: Call, error: unknown): void {
  const isAway = error instanceof LedgerUnavailable
  if (!isAway) deps.logger.error({ error, requestId: call.requestId }, 'unexpected fault')
  // Half an answer must not look like a whole one.
  if (response.headersSent) response.destroy()
  else sendProblem(deps, response, call, { code: isAway ? 'dependency_unavailable' : 'internal_error' })
}
