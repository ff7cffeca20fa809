import { expect, it } from 'vitest'
import { openClientTurns } from './client-turns.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Work that ends when it is told to. */
function works(turns: ReturnType<typeof openClientTurns>) {
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const take = (client: string, name: string) =>
    turns.take(client, () => {
      begun.push(name)
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      )
    })
  return { begun, take, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

it('a client has so much work done at once, and others do not wait behind what it has waiting', async () => {
  const { begun, take, end } = works(openClientTurns({ maxAtOnce: 1, maxWaiting: 2 }))
  const first = take('a', 'a1')
  const second = take('a', 'a2')
  void take('a', 'a3')
  void take('b', 'b1')
  await settle()
  expect(begun).toEqual(['a1', 'b1'])
  end('a1')
  expect(await first).toBe('a1')
  await settle()
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  end('a2', new Error('failed'))
  await expect(second).rejects.toThrow('failed')
  await settle()
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3'])
})

it('a client with too much waiting is told so, until some of it is done; others are not', async () => {
  const { begun, take, end } = works(openClientTurns({ maxAtOnce: 1, maxWaiting: 1 }))
  void take('a', 'a1')
  void take('a', 'a2')
  expect(take('a', 'a3')).toBeUndefined()
  expect(take('b', 'b1')).toBeDefined()
  end('a1')
  await settle()
  expect(take('a', 'a4')).toBeDefined()
  end('a2')
  await settle()
  end('a4')
  await settle()
  void take('a', 'a5')
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a4', 'a5'])
})
