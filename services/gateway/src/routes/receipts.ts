import { tokenMatches } from '@turnpike/sealing'
import type { Handler } from '../http/call.ts'
import { type SendDeps, sendJson, sendProblem } from '../http/send-answer.ts'
import type { LedgerClient } from '../ledger/ledger-client.ts'

type Deps = SendDeps & { ledger: LedgerClient }

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i

/** A wrong token and an unknown id are the same 404, decided before the ledger is asked, so neither body nor time tells them apart. */
export function receiptRoute(deps: Deps): Handler {
  return async (request, response, { requestId, path }) => {
    const place = { requestId, path: '/v1/receipts' }
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined)
      return sendProblem(deps, response, place, { code: 'receipt_token_required' }, { 'www-authenticate': 'Bearer' })
    const id = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    if (!tokenMatches(deps.receiptTokenKeys, id, token)) return sendProblem(deps, response, place, { code: 'receipt_not_found' })
    const receipt = await deps.ledger.receipt(id)
    if (receipt === undefined) return sendProblem(deps, response, place, { code: 'receipt_not_found' })
    sendJson(response, place, receipt, { headers: { 'cache-control': 'private, no-store' } })
  }
}
