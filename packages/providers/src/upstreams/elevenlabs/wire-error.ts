import { compile } from '@turnpike/contracts'
import Type from 'typebox'

// Three generations of error bodies: {"detail":{"type","code","message","status",…}}, {"detail":{"status","message"}}, and FastAPI's
// {"detail":[{"loc","msg","type"}]} or {"detail":"Not Found"}.
const ErrorBody = Type.Object({
  detail: Type.Union([
    Type.Object({ code: Type.Optional(Type.String()), status: Type.Optional(Type.String()) }),
    Type.Array(Type.Unknown()),
    Type.String(),
  ]),
})
const validate = compile(ErrorBody)

/** `codes` as the vendor spells them, the newer first; empty for a framework's own error. undefined: not this API's error at all. */
export function parseElevenLabsError(body: Buffer): { codes: string[] } | undefined {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
  const checked = validate(value)
  if (!checked.ok) return undefined
  const { detail } = checked.value
  if (typeof detail === 'string' || Array.isArray(detail)) return { codes: [] }
  return { codes: [detail.code, detail.status].filter((code) => code !== undefined) }
}
