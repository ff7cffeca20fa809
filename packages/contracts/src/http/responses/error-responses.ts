import Type from 'typebox'
import { ERRORS } from '../../errors.ts'

const members = {
  code: Type.Enum(Object.keys(ERRORS), { description: 'Stable. Each is explained at doc_url.' }),
  charged: Type.Enum(['no', 'yes', 'unknown'], { description: 'Whether money moved, or may have.' }),
  retryable: Type.Boolean({ description: 'Whether the same request may succeed without a change.' }),
  doc_url: Type.String(),
  receipt_url: Type.Optional(Type.String()),
}
const RequestId = Type.String({ description: 'Also in X-Request-ID.' })

/** The envelope that OpenAI's clients read: on every route but /v1/messages. */
export const ErrorBody = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    ...members,
  }),
  request_id: RequestId,
})

/** The envelope that Anthropic's clients read: on /v1/messages. */
export const MessagesErrorBody = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({ type: Type.String(), message: Type.String(), ...members }),
  request_id: RequestId,
})

/** Every 402. The PAYMENT-REQUIRED header is authoritative; this mirrors it. */
export const ChallengeBody = Type.Object({
  error: Type.Literal('Payment Required'),
  message: Type.String({ minLength: 1 }),
  price: Type.Object({
    amount: Type.String(),
    currency: Type.Literal('USDC'),
    type: Type.Enum(['fixed', 'inspection']),
  }),
  paymentInfo: Type.Object({
    x402Version: Type.Integer({ const: 2 }),
    scheme: Type.Literal('exact'),
    network: Type.String(),
    asset: Type.String(),
  }),
  expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When the unpaid binding of the price lapses.' })),
  ...members,
  request_id: RequestId,
})
