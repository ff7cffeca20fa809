import { expect, it } from 'vitest'
import { joinTurns } from './join-turns.ts'

it('joins neighbours of one role, drops what says nothing and leaves its input alone', () => {
  const turns: Parameters<typeof joinTurns>[0] = [
    { role: 'user', parts: [{ type: 'text', text: '' }] },
    { role: 'user', parts: [{ type: 'text', text: 'one' }] },
    { role: 'assistant', parts: [{ type: 'text', text: '' }] },
    { role: 'user', parts: [{ type: 'image', mimeType: 'image/png', base64: '' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'two' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'tide', arguments: {} }] },
  ]
  const before = structuredClone(turns)
  expect(joinTurns(turns)).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'one' },
        { type: 'image', mimeType: 'image/png', base64: '' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'two' },
        { type: 'tool_call', id: 'a', name: 'tide', arguments: {} },
      ],
    },
  ])
  expect(turns).toEqual(before)
})
