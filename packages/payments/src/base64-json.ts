/** Bounds of a decoded header. They are far above what official clients send, echoed discovery schemas included. */
export const HEADER_LIMITS = { maxBytes: 32 * 1024, maxDepth: 32, maxNodes: 4000 } as const

export type Base64JsonDefect =
  | 'too_large'
  | 'not_base64'
  | 'not_utf8'
  | 'not_json'
  | 'too_deep'
  | 'too_many_members'
  | 'forbidden_key'

/** Strict Base64 (padding may be missing, as official decoders allow) of strict UTF-8 of JSON, within bounds. Never throws. */
export function decodeBase64Json(
  text: string,
  limits: { maxBytes: number; maxDepth: number; maxNodes: number } = HEADER_LIMITS,
): { ok: true; value: unknown } | { ok: false; reason: Base64JsonDefect } {
  if (text.length > limits.maxBytes) return { ok: false, reason: 'too_large' }
  if (text.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return { ok: false, reason: 'not_base64' }
  const bytes = Buffer.from(text, 'base64')
  // Buffer forgives stray bits and lengths; one text for one value means it must encode back to itself.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(text)) return { ok: false, reason: 'not_base64' }
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { ok: false, reason: 'not_utf8' }
  }
  // Before JSON.parse: an upper bound of the nesting costs one pass and no stack.
  if (deepestBracket(json) > limits.maxDepth) return { ok: false, reason: 'too_deep' }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { ok: false, reason: 'not_json' }
  }
  const defect = sizeDefect(value, limits.maxNodes)
  return defect === undefined ? { ok: true, value } : { ok: false, reason: defect }
}

function withoutPadding(text: string): string {
  const end = text.indexOf('=')
  return end === -1 ? text : text.slice(0, end)
}

function deepestBracket(json: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return deepest
}

/** `__proto__` is refused outright: the value is forwarded, and a later merge by somebody else must find nothing to pollute. */
function sizeDefect(root: unknown, maxNodes: number): 'too_many_members' | 'forbidden_key' | undefined {
  const open: unknown[] = [root]
  let nodes = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    nodes += 1
    if (nodes > maxNodes) return 'too_many_members'
    if (typeof value !== 'object' || value === null) continue
    for (const key of Object.keys(value)) if (key === '__proto__') return 'forbidden_key'
    const members = Object.values(value)
    if (nodes + open.length + members.length > maxNodes) return 'too_many_members'
    for (const member of members) open.push(member)
  }
  return undefined
}
