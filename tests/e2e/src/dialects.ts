/** The two text endpoints. A body of `chat()` means the same in both. */
export const DIALECTS = ['chat', 'messages'] as const
export type Dialect = (typeof DIALECTS)[number]

export const PATHS: Record<Dialect, string> = { chat: '/v1/chat/completions', messages: '/v1/messages' }

export function dialectOf(url: string): Dialect {
  return url.endsWith(PATHS.messages) ? 'messages' : 'chat'
}
