import type { ErrorCode } from '@turnpike/contracts'

/** What happened, beyond the message of the error, and what to do about it. Code stands between backticks. */
export type ErrorAdvice = { happened: string; toDo: string }
type Group = { title: string; id: string; codes: Partial<Record<ErrorCode, ErrorAdvice>> }

const SAME_KEY = 'Send the same request with the same key and the same signature again after `Retry-After`.'

const THE_REQUEST: Group = {
  title: 'The request',
  id: 'errors-request',
  codes: {
    malformed_http: {
      happened: 'The bytes on the wire were no HTTP request, or had more than 64 KiB of headers.',
      toDo: 'Look at what is between your client and this server, such as a proxy.',
    },
    request_timeout: {
      happened: 'The request stopped arriving, or arrived too slowly, so nobody looked at it.',
      toDo: SAME_KEY,
    },
    unsupported_media_type: {
      happened:
        'The content type is missing, is not one that this address takes, or names another charset than UTF-8. A compressed body too.',
      toDo: 'Send `content-type: application/json` and plain UTF-8. Transcriptions also take `multipart/form-data`.',
    },
    payload_too_large: {
      happened: 'The body has more bytes than this address takes.',
      toDo: 'Text takes 20 MiB, images and speech 64 KiB, a transcription 36 MiB as JSON or 27 MiB as a form.',
    },
    invalid_json: {
      happened: 'A signed body, or one for a quote, is not JSON.',
      toDo: 'Correct the body. The signature is unused and may go with the corrected request.',
    },
    invalid_multipart: {
      happened: 'The form is cut off, has no boundary, or has a field twice.',
      toDo: 'Let your HTTP library build the form and set the content type with its boundary.',
    },
    missing_required_field: {
      happened: 'A field that the schema requires is not there; `param` names it.',
      toDo: 'Add it. Without a payment such a body gets an inspection challenge instead, which must not be signed.',
    },
    invalid_value: {
      happened: 'A field has the wrong type or is out of its range; `param` names it.',
      toDo: 'Correct that field. The reference lists every range.',
    },
    unsupported_field: {
      happened: 'The field would change the answer, and nothing here can honour it. It is refused rather than ignored.',
      toDo: 'Remove the field that `param` names.',
    },
    unsupported_value: {
      happened: 'The field is known, this value of it is not supported.',
      toDo: 'Choose another value; the message says which are taken.',
    },
    invalid_audio: {
      happened: 'The upload is not one complete MP3: another format, another layer, or cut off.',
      toDo: 'Encode it as a plain MP3 and send the whole file.',
    },
    audio_too_large: { happened: 'The MP3 has more than 26,214,400 bytes.', toDo: 'Lower the bitrate or split the recording.' },
    audio_too_long: { happened: 'It plays longer than 58 and a half minutes.', toDo: 'Split the recording.' },
    audio_too_short: { happened: 'It plays less than a tenth of a second.', toDo: 'Send more of it.' },
    model_not_available: {
      happened: 'There is no such model, or it is not on offer, or not at this endpoint.',
      toDo: 'Choose one that `GET /v1/models` lists for this endpoint.',
    },
    context_length_exceeded: {
      happened: 'The estimate of the input tokens is beyond what the model can read.',
      toDo: 'Shorten the conversation. `POST /v1/quote` tells the estimate at no cost.',
    },
    content_blocked: {
      happened: 'The model looked at the prompt and refused to produce this.',
      toDo: 'Change the prompt. The signature is unused.',
    },
    image_unavailable: {
      happened: 'An image that the request names by URL is not public, not an image, too large or too slow.',
      toDo: 'Check the address, or send the image inline as a data URL.',
    },
    refused_by_policy: {
      happened: 'The operator screens payers or prompts, and this one was refused.',
      toDo: 'Nothing that a retry could change. Ask the operator.',
    },
    provider_rejected_request: {
      happened: 'The model itself found the request wrong in a way that nobody could see beforehand.',
      toDo: 'Simplify the request, above all its tools and schemas.',
    },
  },
}

const THE_KEY: Group = {
  title: 'The idempotency key',
  id: 'errors-key',
  codes: {
    idempotency_key_required: {
      happened: 'A complete request came without `x-idempotency-key`.',
      toDo: 'Add one fresh random value, and keep it for every retry of this request.',
    },
    idempotency_key_invalid: {
      happened: 'The key is empty, longer than 255 characters, or has spaces or other than ASCII.',
      toDo: 'Use a UUID.',
    },
    idempotency_key_reused: {
      happened: 'The key is bound to another body or endpoint, or to another payer.',
      toDo: 'Use a fresh key for every new request. For a retry send exactly the body of the first time.',
    },
    idempotency_in_progress: {
      happened: 'The first request under this key is still running.',
      toDo: 'Wait for `Retry-After` and send the same request again to collect the result. It is never charged twice.',
    },
    idempotency_result_expired: {
      happened: 'This key was paid for more than seven days ago and its result is deleted.',
      toDo: 'Use a fresh key. The receipt is still there.',
    },
  },
}

const THE_PAYMENT: Group = {
  title: 'The payment',
  id: 'errors-payment',
  codes: {
    payment_required: {
      happened: 'Nothing went wrong: this is the price.',
      toDo: 'Check it, sign what `PAYMENT-REQUIRED` holds, and send the same request with the same key and `PAYMENT-SIGNATURE`.',
    },
    inspection: {
      happened: 'The body was empty, broken or incomplete, so this only shows what a challenge looks like.',
      toDo: 'Do not sign it. Send a complete body to get its exact price.',
    },
    payment_header_malformed: {
      happened: '`PAYMENT-SIGNATURE` cannot be read.',
      toDo: 'Let an official x402 version 2 client make it.',
    },
    payment_mismatch: {
      happened: 'The signature is for another amount, recipient, asset or network, or the price has changed since.',
      toDo: 'Sign the challenge that comes with this answer.',
    },
    inspection_payment_refused: {
      happened: 'An inspection challenge was signed.',
      toDo: 'Send the complete request unsigned and sign the challenge it gets.',
    },
    payment_signature_invalid: {
      happened: 'The signature was not made by the wallet that it names.',
      toDo: 'Check which wallet signs, and the chain id (8453) of its EIP-712 domain.',
    },
    payment_rejected: {
      happened: 'The facilitator, who would settle the payment, does not take it.',
      toDo: 'Sign the fresh challenge. If that fails too, check the wallet.',
    },
    payment_already_used: {
      happened: 'The signature arrived with another request before, or was settled.',
      toDo: 'Sign the fresh challenge: one signature, one request.',
    },
    authorization_expires_too_soon: {
      happened: 'The signature would lapse before the work could be done and paid.',
      toDo: 'Sign the fresh challenge and use its `maxTimeoutSeconds`.',
    },
    authorization_not_yet_valid: {
      happened: '`validAfter` is in the future.',
      toDo: 'Check your clock, then sign the fresh challenge.',
    },
    authorization_expires_too_late: {
      happened: '`validBefore` is more than an hour away, so the payment could stay open for long.',
      toDo: 'Sign the fresh challenge and use its `maxTimeoutSeconds`.',
    },
    insufficient_funds: {
      happened: 'The wallet holds less than this request and what it has in flight cost together.',
      toDo: 'Send USDC on Base to the wallet. `GET /v1/balance` shows what it holds.',
    },
    exposure_limit: {
      happened: 'Much is being worked on for this wallet, or for all together, that is not settled yet.',
      toDo: `Let earlier requests finish. ${SAME_KEY}`,
    },
    settlement_failed: {
      happened: 'The work is done and stored, and its payment failed for sure, so no money moved.',
      toDo: 'Sign the fresh challenge with the same wallet within an hour: the stored result is released, nothing runs again.',
    },
    settlement_pending: {
      happened: 'The payment was sent to the chain and the chain has not said what became of it.',
      toDo: 'Send the same request again after `Retry-After`. You get the result or a clear answer, never a second charge.',
    },
  },
}

const NOT_NOW: Group = {
  title: 'Not now',
  id: 'errors-not-now',
  codes: {
    rate_limited: { happened: 'Too many requests came from your address.', toDo: 'Slow down and go on after `Retry-After`.' },
    overloaded: { happened: 'More work is in flight than this service takes.', toDo: SAME_KEY },
    provider_unavailable: { happened: 'The model could not be reached. It did not run.', toDo: SAME_KEY },
    provider_overloaded: { happened: 'The model has no capacity now. It did not run.', toDo: SAME_KEY },
    provider_unusable_answer: { happened: 'The model ran and what it said cannot be delivered.', toDo: SAME_KEY },
    provider_outcome_unknown: {
      happened: 'The connection to the model broke, so nobody knows whether it ran. Its signature will never be settled.',
      toDo: 'Send the request again under a new key.',
    },
    deadline_passed: { happened: 'The request waited too long for its turn and was not started.', toDo: SAME_KEY },
    job_unreadable: {
      happened: 'What was stored of the request could not be opened again, so nothing ran.',
      toDo: 'Send it again under a new key.',
    },
    dependency_unavailable: {
      happened: 'A part that taking money safely needs is away.',
      toDo: `${SAME_KEY} \`GET /readyz\` names the part.`,
    },
    safety_unavailable: { happened: 'The operator checks payers or prompts, and the check does not answer.', toDo: SAME_KEY },
    balance_unavailable: { happened: 'The chain could not be asked.', toDo: 'Ask again in a few seconds.' },
    internal_error: {
      happened: 'A defect of ours. If the request was signed, its payment may be at work.',
      toDo: 'Send the same request under the same key to find out; it is never charged twice. Report the `request_id`.',
    },
  },
}

const ADDRESSES: Group = {
  title: 'Addresses, files and receipts',
  id: 'errors-addresses',
  codes: {
    not_found: { happened: 'No route has this address.', toDo: 'See the reference for those that exist.' },
    method_not_allowed: {
      happened: 'The address exists and takes other methods.',
      toDo: 'Use one that the `Allow` header names.',
    },
    receipt_token_required: {
      happened: 'A receipt was asked for without a token.',
      toDo: 'Send `Authorization: Bearer` and the `X-Receipt-Token` that came with the paid answer.',
    },
    receipt_not_found: {
      happened: 'The id is unknown, or the token is not the one of this receipt. Both look the same on purpose.',
      toDo: 'Use id and token of the same answer.',
    },
    media_not_found: {
      happened: 'The address is not one of ours, or was altered.',
      toDo: 'Copy it whole from the paid answer; a replay of the request gives it again for seven days.',
    },
    media_expired: {
      happened: 'Images are kept for seven days and speech for 24 hours; this one was, and is deleted.',
      toDo: 'Nothing brings it back. Download what you want to keep.',
    },
    range_not_satisfiable: {
      happened: 'The `Range` begins beyond the end of the file.',
      toDo: 'Ask for a range within `Content-Length`.',
    },
  },
}

export const ERROR_GROUPS: readonly Group[] = [THE_PAYMENT, THE_KEY, THE_REQUEST, NOT_NOW, ADDRESSES]
