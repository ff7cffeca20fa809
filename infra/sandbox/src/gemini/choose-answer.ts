import { fromOpenApiSubset, isRecord, type JsonSchema } from './json-schema.ts'
import { declarationsOf, type FunctionDeclaration, type GenerateRequest, lastUserText, textOf } from './request.ts'
import { sampleJson } from './sample-json.ts'

/** What the stand-in says before caps and stop sequences; the same request always gets the same answer. */
export type Answer = { kind: 'text'; text: string } | { kind: 'calls'; calls: { name: string; args: Record<string, unknown> }[] }

export function chooseAnswer(request: GenerateRequest): Answer {
  const text = lastUserText(request)
  const calls = chooseCalls(request)
  if (calls.length > 0) return { kind: 'calls', calls }
  const config = request.generationConfig ?? {}
  const schema = responseSchemaOf(request)
  if (config.responseMimeType === 'text/x.enum' && schema) return { kind: 'text', text: String(sampleJson(schema)) }
  if (config.responseMimeType === 'application/json')
    return { kind: 'text', text: JSON.stringify(schema ? sampleJson(schema) : { answer: echo(text) }) }
  const results = quoteResults(request)
  if (results !== '') return { kind: 'text', text: results }
  return { kind: 'text', text: echo(text) }
}

/** The fixed sentence. */
export function echo(text: string): string {
  return `You said: ${text}`
}

function quoteResults(request: GenerateRequest): string {
  const last = request.contents?.at(-1)
  const responses = (last?.parts ?? []).flatMap((part) => (part.functionResponse ? [part.functionResponse] : []))
  if (responses.length === 0) return ''
  const sentences = responses.map(({ name, response = {} }) => {
    const failed = response.error !== undefined && response.output === undefined
    const value = response.output ?? response.error ?? response
    const quoted = typeof value === 'string' ? value : JSON.stringify(value)
    return `The tool ${name} ${failed ? 'failed' : 'answered'}: ${quoted}`
  })
  const text = textOf(last)
  return [...sentences, ...(text === '' ? [] : [echo(text)])].join('\n')
}

function responseSchemaOf(request: GenerateRequest): JsonSchema | undefined {
  const { responseSchema, responseJsonSchema } = request.generationConfig ?? {}
  if (responseSchema) return fromOpenApiSubset(responseSchema)
  return isRecord(responseJsonSchema) ? responseJsonSchema : undefined
}

function chooseCalls(request: GenerateRequest): { name: string; args: Record<string, unknown> }[] {
  const choice = request.toolConfig?.functionCallingConfig
  if (choice?.mode === 'NONE') return []
  const allowed = choice?.allowedFunctionNames ?? []
  const usable = new Map<string, FunctionDeclaration>()
  for (const declaration of declarationsOf(request))
    if (declaration.name && (allowed.length === 0 || allowed.includes(declaration.name)))
      usable.set(declaration.name, declaration)
  // Only the newest content asks: a tool result must not repeat the call that it answers.
  const asked = namesAskedFor(textOf(request.contents?.at(-1)), usable)
  const [fallback] = usable.keys()
  const names = asked.length > 0 ? asked : choice?.mode === 'ANY' && fallback !== undefined ? [fallback] : []
  return names.map((name) => ({ name, args: sampleArguments(usable.get(name)) }))
}

const separators = /^(?:\s*,\s*|\s*&\s*|\s+and\s+|\s*,\s*and\s+|\s+)+/i
const word = /^[A-Za-z_][A-Za-z0-9_.:-]*/

/** `call a`, `call a and b`, `call a, b`: declared names, in order, up to the first word that is none. */
function namesAskedFor(text: string, usable: ReadonlyMap<string, unknown>): string[] {
  const names: string[] = []
  if (usable.size === 0) return names
  for (const { index } of text.matchAll(/\bcall\b/gi)) {
    let rest = text.slice(index + 'call'.length, index + maxRequestCharacters)
    for (;;) {
      rest = rest.replace(separators, '')
      const found = word.exec(rest)?.[0]
      if (found === undefined) break
      // A sentence may end in the punctuation that names may contain.
      const name = usable.has(found) ? found : found.replace(/[.:-]+$/, '')
      if (!usable.has(name)) break
      names.push(name)
      rest = rest.slice(name.length)
    }
  }
  return names.slice(0, maxCalls)
}

const maxRequestCharacters = 2_000
const maxCalls = 16

function sampleArguments(declaration: FunctionDeclaration | undefined): Record<string, unknown> {
  const schema = declaration?.parameters ? fromOpenApiSubset(declaration.parameters) : declaration?.parametersJsonSchema
  const sampled = isRecord(schema) ? sampleJson(schema) : {}
  return isRecord(sampled) ? sampled : {}
}
