import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { compile } from './validator.ts'

const Point = Type.Object({ x: Type.Integer({ minimum: 0 }), kind: Type.Enum(['a', 'b']) })
const Shape = Type.Object({
  name: Type.Literal('shape'),
  points: Type.Array(Point, { maxItems: 3 }),
  labels: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})
const validate = compile(Shape)

function problems(value: unknown) {
  const checked = validate(value)
  return checked.ok ? [] : checked.problems
}

describe('a validator', () => {
  it('gives back what it was given, unchanged', () => {
    const value = { name: 'shape', points: [{ x: 1, kind: 'a', more: true }], extra: '5' }
    const checked = validate(value)
    expect(checked.ok && checked.value).toBe(value)
    expect(value).toEqual({ name: 'shape', points: [{ x: 1, kind: 'a', more: true }], extra: '5' })
  })

  it.each([
    [{ points: [] }, 'name', 'is required'],
    [{ name: 'x', points: [] }, 'name', 'must be "shape"'],
    [{ name: 'shape', points: [{ x: 1, kind: 'c' }] }, 'points[0].kind', 'must be one of "a", "b"'],
    [{ name: 'shape', points: [{ x: -1, kind: 'a' }] }, 'points[0].x', 'must be >= 0'],
    [{ name: 'shape', points: [{ x: '1', kind: 'a' }] }, 'points[0].x', 'must be integer'],
    [{ name: 'shape', points: [{ kind: 'a' }] }, 'points[0].x', 'is required'],
    [[], '', 'must be object'],
  ])('names the first problem of %j', (value, path, message) => {
    expect(problems(value)[0]).toMatchObject({ path, message })
  })

  it('names what is missing before anything else, wherever it is missing', () => {
    const [first] = problems({ name: 5, points: [{ x: 'wrong', kind: 'wrong' }, { x: 1 }] })
    expect(first).toMatchObject({ path: 'points[1].kind', missing: 'kind' })
  })

  it('knows what is missing under a condition that says which alternative it is', () => {
    const THEN = 'then'
    const when = (kind: string, more: object) => ({
      if: { type: 'object', required: ['kind'], properties: { kind: { const: kind } } },
      [THEN]: { type: 'object', ...more },
    })
    const check = compile(
      Type.Unsafe<unknown>({
        type: 'array',
        items: {
          type: 'object',
          required: ['kind'],
          properties: { kind: { type: 'string' } },
          allOf: [
            when('a', { required: ['x'], properties: { x: { type: 'integer' } } }),
            when('b', { required: ['y'], properties: { y: { type: 'string' } } }),
          ],
        },
      }),
    )
    const first = (value: unknown) => {
      const checked = check(value)
      return checked.ok ? undefined : checked.problems[0]
    }
    expect(first([{ kind: 'a', x: 1 }, { kind: 'b', y: '' }, { kind: 'c' }])).toBeUndefined()
    expect(first([{ kind: 'a', x: 'wrong' }])).toMatchObject({ path: '[0].x', message: 'must be integer' })
    expect(first([{ kind: 'a', x: 'wrong' }, { kind: 'b' }])).toMatchObject({ path: '[1].y', missing: 'y' })
    expect(first([{ kind: 'a', y: 'other' }])).toMatchObject({ path: '[0].x', missing: 'x' })
  })

  it('reports a few problems of a value with a million', () => {
    expect(problems({ name: 'shape', points: Array(1_000_000).fill(1) }).length).toBeLessThanOrEqual(2)
    expect(problems({ name: 'shape', points: Array(1_000_000).fill({}) }).length).toBeLessThanOrEqual(2)
  })

  it('never repeats the names that a stranger gave to the members of a record', () => {
    expect(JSON.stringify(problems({ name: 'shape', points: [], labels: { 'a-secret': 'x' } }))).not.toContain('a-secret')
    expect(problems({ name: 'shape', points: [], labels: { 'a/b': 'x' } })[0]).toMatchObject({
      path: 'labels',
      message: 'must be integer',
    })
  })
})
