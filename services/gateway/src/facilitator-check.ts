import type { FacilitatorClient } from '@turnpike/payments'
import { type Check, openRefusals, wireFault } from '@turnpike/service'

const UNAUTHORIZED = 'status 401'

/** Whether payments can be verified now; `tell` hears a sentence when the configuration is why they cannot. */
export function facilitatorCheck(options: {
  facilitator: Pick<FacilitatorClient, 'supported'>
  tell: (sentence: string) => void
}): Check {
  const refusals = openRefusals(options.tell)
  return async () => {
    const answer = await options.facilitator.supported()
    refusals.saw(answer.kind === 'unavailable' ? sentenceOf(answer.detail) : undefined)
    return answer.kind === 'supported'
  }
}

function sentenceOf(detail: string): string | undefined {
  if (detail === UNAUTHORIZED) return 'The facilitator refuses FACILITATOR_TOKEN.'
  const names = { what: 'the facilitator', ca: 'FACILITATOR_TLS_CA', credentials: 'FACILITATOR_TOKEN', isRefusal: () => false }
  return wireFault(Object.assign(new Error(detail), { code: detail }), names)
}
