import { nodeWords } from './node-words.ts'

/**
 * What a node's answer to `eth_sendRawTransaction` means. `rejected` is for what the transaction is: no node will ever take it. `unsure` covers lost answers and every text that is not known here:
 * the transaction may be on its way, and its receipt decides.
 */
export type SendVerdict = 'accepted' | 'nonce_taken' | 'fees_too_low' | 'cannot_pay_gas' | 'rejected' | 'unsure'

const TEXTS: readonly (readonly [RegExp, SendVerdict])[] = [
  [/already known|already imported|known transaction|already exists/i, 'accepted'],
  [/nonce (is )?too low|old ?nonce/i, 'nonce_taken'],
  [/underpriced|fee too low|less than block base fee|max fee per gas less/i, 'fees_too_low'],
  [/insufficient funds/i, 'cannot_pay_gas'],
  [/intrinsic gas|floor data gas|gas ?limit(?:exceeded| (?:is )?too high)|tx ?gas ?limit ?cap/i, 'rejected'],
  [/exceeds (?:the )?block gas limit|gas limit \(\d+\) is greater than the cap/i, 'rejected'],
  [/exceeds the configured cap|oversized data|invalid chain id|invalid sender|sender not an eoa/i, 'rejected'],
  [/max priority fee per gas higher than max fee per gas|transaction type not supported/i, 'rejected'],
]

export function sendVerdict(error: unknown): SendVerdict {
  const text = nodeWords(error)
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'unsure'
}
