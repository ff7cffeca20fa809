import type { JsonObject } from './effective-json.ts'
import { jsonSchemaProblem, parametersProblem, type SchemaBudget, type SchemaRefusal } from './json-schema-rules.ts'
import { invalid, type RequestProblem } from './request-problem.ts'

type Refused = { ok: false; problem: RequestProblem }

/** All declarations and schemas of one request, as JSON text. */
export const MAX_DECLARATION_BYTES = 1_048_576
export type DeclarationBudget = { bytesLeft: number; schemas: SchemaBudget }

/** What every upstream takes for the name of a function. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

export function nameProblem(name: string, path: string, maxLength: number): Refused | undefined {
  if (name.length <= maxLength && NAME.test(name)) return undefined
  return invalid(
    path,
    `${path} must be 1 to ${maxLength} letters, digits, underscores and dashes, the first of them a letter or an underscore.`,
  )
}

/** The name, description and parameters of one tool; `names` holds those of the tools before it. */
export function declarationProblem(
  tool: { name: string; description?: string | null | undefined; schema?: JsonObject | null | undefined },
  paths: { name: string; schema: string },
  limits: { maxNameLength: number; names: Set<string>; budget: DeclarationBudget },
): Refused | undefined {
  const misnamed = nameProblem(tool.name, paths.name, limits.maxNameLength)
  if (misnamed !== undefined) return misnamed
  if (limits.names.has(tool.name)) return invalid(paths.name, `${paths.name} is the name of another tool already.`)
  limits.names.add(tool.name)
  const { schema } = tool
  return (
    (schema === undefined || schema === null
      ? undefined
      : schemaRefusal(paths.schema, parametersProblem(schema, limits.budget.schemas))) ??
    spend(limits.budget, [tool.description ?? '', schema ?? {}], paths.schema)
  )
}

export function responseSchemaProblem(schema: JsonObject, path: string, budget: DeclarationBudget): Refused | undefined {
  return schemaRefusal(path, jsonSchemaProblem(schema, budget.schemas)) ?? spend(budget, schema, path)
}

function schemaRefusal(path: string, refusal: SchemaRefusal | undefined): Refused | undefined {
  return refusal === undefined ? undefined : invalid(path, `${path} ${refusal.message}.`, refusal.code)
}

function spend(budget: DeclarationBudget, value: unknown, path: string): Refused | undefined {
  budget.bytesLeft -= Buffer.byteLength(JSON.stringify(value))
  if (budget.bytesLeft >= 0) return undefined
  return invalid(path, `${path} makes the declarations larger than ${MAX_DECLARATION_BYTES} bytes together.`)
}
