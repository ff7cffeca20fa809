import type { GatewayConfig } from '../config.ts'
import { httpSafetyCheck, type SafetyCheck } from './safety-check.ts'

type Settings = Pick<GatewayConfig, 'payerDenyList' | 'payerScreeningUrl' | 'moderationUrl' | 'safetyTimeoutMs'>

/** The checks that the operator has configured, the cheapest first. None by default. */
export function safetyChecks({ payerDenyList, payerScreeningUrl, moderationUrl, safetyTimeoutMs }: Settings): SafetyCheck[] {
  return [
    ...(payerDenyList.length === 0 ? [] : [denyList(payerDenyList)]),
    ...(payerScreeningUrl === undefined
      ? []
      : [httpSafetyCheck({ url: payerScreeningUrl, timeoutMs: safetyTimeoutMs, question: ({ payer }) => ({ payer }) })]),
    ...(moderationUrl === undefined
      ? []
      : [
          httpSafetyCheck({
            url: moderationUrl,
            timeoutMs: safetyTimeoutMs,
            question: ({ endpoint, model, canonicalBody }) => ({
              endpoint,
              model,
              request: JSON.parse(canonicalBody) as unknown,
            }),
          }),
        ]),
  ]
}

/** Addresses are compared without case. */
function denyList(addresses: readonly string[]): SafetyCheck {
  const denied = new Set(addresses.map((address) => address.toLowerCase()))
  return async ({ payer }) => (denied.has(payer) ? 'refused' : 'allowed')
}
