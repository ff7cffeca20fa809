import { describe, expect, it } from 'vitest'
import { afterExit, decidePart } from './lifecycle.ts'

describe('a process that ended', () => {
  it('starts again when it is a service that was up', () => {
    expect(afterExit('service', 'up')).toBe('start again')
  })

  it('starts again when it is managed and nobody stopped it', () => {
    expect(afterExit('managed', 'up')).toBe('start again')
    expect(afterExit('managed', 'stopping')).toBe('nothing')
  })

  it('stays down when it is infrastructure, and somebody is told', () => {
    expect(afterExit('infrastructure', 'up')).toBe('say so')
  })

  it.each(['down', 'starting', 'stopping', 'waiting'] as const)('is nobody’s surprise while it is %s', (phase) => {
    expect(afterExit('service', phase)).toBe('nothing')
    expect(afterExit('infrastructure', phase)).toBe('nothing')
  })
})

describe('an order for a part', () => {
  const known = ['kafka', 'redis']

  it('is carried out where it makes sense', () => {
    expect(decidePart('stop', 'kafka', { kind: 'infrastructure', phase: 'up' }, known)).toEqual({ do: 'stop' })
    expect(decidePart('kill', 'kafka', { kind: 'infrastructure', phase: 'up' }, known)).toEqual({ do: 'kill' })
    expect(decidePart('start', 'kafka', { kind: 'infrastructure', phase: 'down' }, known)).toEqual({ do: 'start' })
  })

  it('is refused for a part that is in that state already', () => {
    expect(decidePart('start', 'kafka', { kind: 'infrastructure', phase: 'up' }, known)).toEqual({
      refuse: 'kafka runs already.',
    })
    expect(decidePart('stop', 'kafka', { kind: 'infrastructure', phase: 'down' }, known)).toEqual({
      refuse: 'kafka does not run.',
    })
    expect(decidePart('kill', 'kafka', { kind: 'infrastructure', phase: 'down' }, known)).toEqual({
      refuse: 'kafka does not run.',
    })
  })

  it('stops and starts what is managed, also while it waits to start again', () => {
    expect(decidePart('kill', 'facilitator', { kind: 'managed', phase: 'up' }, known)).toEqual({ do: 'kill' })
    expect(decidePart('start', 'facilitator', { kind: 'managed', phase: 'down' }, known)).toEqual({ do: 'start' })
    expect(decidePart('stop', 'facilitator', { kind: 'managed', phase: 'waiting' }, known)).toEqual({ do: 'stop' })
    expect(decidePart('start', 'facilitator', { kind: 'managed', phase: 'waiting' }, known)).toHaveProperty('nothing')
  })

  it('is refused for a service, for a dependency of yours, and for what is not there', () => {
    expect(decidePart('stop', 'gateway', { kind: 'service', phase: 'up' }, known)).toHaveProperty('refuse')
    expect(decidePart('stop', 'kafka', { kind: 'yours', phase: 'up' }, known)).toHaveProperty('refuse')
    expect(decidePart('stop', 'kafak', undefined, known)).toEqual({
      refuse: 'There is no part "kafak" in this stack; its parts are kafka, redis.',
    })
  })
})
