import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@turnpike/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Trick } from './fault.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'

let received: string[]
let target: ReturnType<typeof createServer>
let proxy: FaultProxy

beforeEach(async () => {
  received = []
  target = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push(body)
      response.setHeader('content-type', 'application/json').end(`{"real":"${body}"}`)
    })
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  proxy = await openFaultProxy(`http://127.0.0.1:${(target.address() as AddressInfo).port}`)
})
afterEach(async () => {
  await proxy.close()
  target.closeAllConnections()
  target.close()
})

const call = (body: string, path = '/settle') => fetch(`${proxy.url}${path}`, { method: 'POST', body })
const outcomeOf = (answer: Promise<Response>) =>
  answer.then(async (response) => `${response.status} ${await response.text()}`).catch(() => 'broken')

function play(does: Trick): void {
  const wrong = { refuses: (body: string) => `no ${body}`, confirms: (body: string) => `yes ${body}` }
  proxy.play({ does, path: '/settle', ms: 1, wrong })
}

describe('the proxy', () => {
  it('passes calls on', async () => {
    expect(await outcomeOf(call('a'))).toBe('200 {"real":"a"}')
    expect(received).toEqual(['a'])
  })

  it('plays each trick on the calls of its path alone', async () => {
    const seen: Record<string, [answer: string, deeds: number]> = {
      late: ['200 {"real":"x"}', 1],
      twice: ['200 {"real":"x"}', 2],
      fails: ['500 {"error":"Internal error"}', 1],
      cut: ['broken', 1],
      refuses: ['200 no x', 1],
      confirms: ['200 yes x', 0],
      garbage: ['200 {"result":', 1],
    }
    for (const [trick, [answer, deeds]] of Object.entries(seen)) {
      received = []
      play(trick as Trick)
      expect(await outcomeOf(call('x')), trick).toBe(answer)
      expect(received, trick).toHaveLength(deeds)
      expect(proxy.fooled(), trick).toEqual(['x'])
      expect(await outcomeOf(call('y', '/verify')), trick).toBe('200 {"real":"y"}')
    }
  })

  it('keeps an answer for ever, or the call too, until the trick is over', async () => {
    for (const [trick, deeds] of [
      ['never', 1],
      ['lost', 0],
    ] as const) {
      received = []
      play(trick)
      const answer = outcomeOf(call('x'))
      await until('the call is kept', () => proxy.fooled().length === 1 && received.length === deeds)
      proxy.play(undefined)
      expect(await answer, trick).toBe('broken')
    }
  })

  it('holds one call before the deed, or after it, until it is let go', async () => {
    for (const [when, deeds] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      received = []
      const holding = proxy.hold('/settle', when, 5_000)
      const answer = outcomeOf(call('x'))
      const held = await holding
      expect(held.body).toBe('x')
      expect(received, when).toHaveLength(deeds)
      held.release()
      expect(await answer).toBe('200 {"real":"x"}')
    }
  })

  it('says so when nothing comes to be held', async () => {
    await expect(proxy.hold('/settle', 'before', 20)).rejects.toThrow('no call to /settle within 20 ms')
  })
})
