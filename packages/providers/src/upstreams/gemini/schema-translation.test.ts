import { jsonSchemaProblem, schemaBudget } from '@turnpike/contracts'
import { type Sandbox, startSandbox } from '@turnpike/sandbox'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TextUpstream } from '../../call-first-available.ts'
import { readChatRequest } from '../../dialects/openai-chat/read-request.ts'
import type { TextRequest } from '../../text/text-request.ts'
import { openGemini } from './open-gemini.ts'
import { reduceParameters, reduceResponseSchema } from './reduce-schema.ts'
import { randomFrom, randomSchema, randomValue } from './testing/random-schema.ts'

// Two promises about every schema that the gateway lets through: the wire takes its translation, and whatever was right for the
// original is right for the translation.

const API_KEY = 'key-of-this-test'
const SCHEMAS = 300
const VALUES_PER_SCHEMA = 60
let sandbox: Sandbox
let upstream: TextUpstream

beforeAll(async () => {
  sandbox = await startSandbox({ geminiApiKey: API_KEY })
  upstream = openGemini({ baseUrl: sandbox.geminiUrl, apiKey: API_KEY, maxConnections: 8 })
})
afterAll(async () => {
  await upstream.close()
  await sandbox.close()
})

function acceptedSchemas(): { seed: number; schema: Record<string, unknown> }[] {
  const drawn = Array.from({ length: SCHEMAS }, (_, seed) => ({ seed, schema: randomSchema(randomFrom(seed)) }))
  return drawn.filter(({ schema }) => jsonSchemaProblem(schema, schemaBudget()) === undefined)
}

// A ceiling that thinking uses up: the schema is judged, and nothing is made from it. A value of schemas that cross is exponential.
const plain = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 8, stream: false })
async function taken(request: TextRequest): Promise<string> {
  const outcome = await upstream.complete('gemini-3.5-flash', request, {
    signal: AbortSignal.timeout(30_000),
    deadlineMs: Date.now() + 30_000,
  })
  return outcome.kind === 'succeeded' ? outcome.value.stop : `${outcome.kind} ${outcome.reason}`
}

it('the wire takes every schema that the gateway lets through, for tools and for answers', async () => {
  const accepted = acceptedSchemas()
  expect(accepted.length).toBeGreaterThan(SCHEMAS / 10)
  const refused: number[] = []
  for (const { seed, schema } of accepted) {
    const asTool = await taken({ ...plain, tools: [{ name: 'tide', parameters: schema }], toolChoice: { mode: 'required' } })
    const asAnswer = await taken({ ...plain, output: { format: 'json_schema', schema } })
    if (asTool !== 'length' || asAnswer !== 'length') refused.push(seed)
  }
  expect(refused).toEqual([])
})

it('no value that was right becomes wrong', () => {
  let judged = 0
  const wrong: string[] = []
  for (const { seed, schema } of acceptedSchemas()) {
    const original = validatorOf(schema)
    if (original === undefined) continue
    const translations = [reduceParameters(schema), reduceResponseSchema(schema)].map(validatorOf)
    const random = randomFrom(seed)
    for (let at = 0; at < VALUES_PER_SCHEMA; at += 1) {
      const value = randomValue(random)
      if (!original(value)) continue
      judged += 1
      for (const [use, translated] of translations.entries()) {
        if (translated?.(value) !== true) wrong.push(`${seed} ${use} ${JSON.stringify(value)}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(judged).toBeGreaterThan(60)
})

it('takes no longer than the schema is large, however its references cross', () => {
  const $defs: Record<string, unknown> = { d0: { type: 'string' } }
  for (let at = 1; at < 2_000; at += 1) {
    const back = { $ref: `#/$defs/d${at - 1}` }
    $defs[`d${at}`] = { type: ['object', 'null'], properties: { a: back, b: { allOf: [back], description: 'B' } } }
  }
  const schema = { type: 'object', $defs, properties: { top: { $ref: '#/$defs/d1999' } } }
  expect(jsonSchemaProblem(schema, schemaBudget())).toBeUndefined()
  const startedUs = process.threadCpuUsage().user
  const written = JSON.stringify(reduceParameters(schema))
  expect(written.length).toBeLessThan(JSON.stringify(schema).length * 2)
  // Processor time: a machine that is busy with something else says nothing about the translation.
  expect(process.threadCpuUsage().user - startedUs).toBeLessThan(2_000_000)
})

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })

function validatorOf(schema: object): ValidateFunction | undefined {
  try {
    return ajv.compile(structuredClone(schema))
  } catch {
    // What a draft calls by another name (items as a list) this validator does not know.
    return undefined
  }
}
