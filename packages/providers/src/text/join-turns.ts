import type { AssistantPart, Turn, UserPart } from './text-request.ts'

/**
 * Drops empty text and empty turns, joins neighbours of one role and puts the results of a step in the order of its calls, before
 * whatever else the client said: upstreams refuse anything else.
 */
export function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    if (turn.role === 'user') {
      const parts = turn.parts.filter(saysSomething)
      if (parts.length === 0) continue
      if (last?.role === 'user') last.parts.push(...parts)
      else joined.push({ role: 'user', parts })
    } else {
      const parts = turn.parts.filter(saysSomething)
      if (parts.length === 0) continue
      if (last?.role === 'assistant') last.parts.push(...parts)
      else joined.push({ role: 'assistant', parts })
    }
  }
  return joined.map((turn, at) => inCallOrder(turn, joined[at - 1]))
}

function saysSomething(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text !== ''
}

function inCallOrder(turn: Turn, previous: Turn | undefined): Turn {
  if (turn.role !== 'user' || previous?.role !== 'assistant') return turn
  const calls = previous.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
  if (calls.length === 0) return turn
  const position = new Map(calls.map((id, at) => [id, at]))
  const rank = (part: UserPart): number => (part.type === 'tool_result' ? position.get(part.callId) : undefined) ?? calls.length
  // Sorting is stable: what is no result keeps its own order.
  return { role: 'user', parts: turn.parts.toSorted((left, right) => rank(left) - rank(right)) }
}
