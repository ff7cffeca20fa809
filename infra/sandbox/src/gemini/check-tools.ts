import { findJsonSchemaProblem } from './check-json-schema.ts'
import { findOpenApiSchemaProblems } from './check-openapi-schema.ts'
import { declarationsOf, type FunctionDeclaration, type GenerateRequest, type Tool } from './request.ts'

const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/
const maxDeclarations = 512

/** Messages of the proto validation about tools and tool choice. */
export function findToolProblems(request: GenerateRequest): string[] {
  const problems: string[] = []
  for (const [toolIndex, tool] of (request.tools ?? []).entries()) {
    const at = `GenerateContentRequest.tools[${toolIndex}]`
    problems.push(...findUnofferedTools(tool, at))
    for (const [index, declaration] of (tool.functionDeclarations ?? []).entries())
      problems.push(...findDeclarationProblems(declaration, `${at}.function_declarations[${index}]`))
  }
  return [...problems, ...findChoiceProblems(request)]
}

/** Real tools of the vendor that reach beyond the sandbox: better a plain refusal than an invented search result. */
function findUnofferedTools(tool: Tool, at: string): string[] {
  const names = Object.keys(tool)
  if (names.length === 0) return [`${at}: required oneof field 'tool_type' must have one initialized field`]
  return names
    .filter((name) => name !== 'functionDeclarations')
    .map((name) => `${at}.${name}: the sandbox offers function declarations only`)
}

function findDeclarationProblems(declaration: FunctionDeclaration, at: string): string[] {
  const problems: string[] = []
  if (!functionName.test(declaration.name ?? ''))
    problems.push(
      `${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
    )
  if (declaration.parameters && declaration.parametersJsonSchema !== undefined)
    problems.push(`${at}.parameters_json_schema: parameters and parameters_json_schema are mutually exclusive.`)
  else if (declaration.parameters) {
    if (declaration.parameters.type !== 'OBJECT') problems.push(`${at}.parameters: schema type should be OBJECT`)
    problems.push(...findOpenApiSchemaProblems(declaration.parameters, `${at}.parameters`))
  } else if (declaration.parametersJsonSchema !== undefined) {
    const problem = findJsonSchemaProblem(declaration.parametersJsonSchema, 'parameters', `${at}.parameters_json_schema`)
    if (problem) problems.push(problem)
  }
  if (declaration.response && declaration.responseJsonSchema !== undefined)
    problems.push(`${at}.response_json_schema: response and response_json_schema are mutually exclusive.`)
  return problems
}

function findChoiceProblems(request: GenerateRequest): string[] {
  const choice = request.toolConfig?.functionCallingConfig
  const allowed = choice?.allowedFunctionNames ?? []
  if (allowed.length === 0) return []
  const at = 'GenerateContentRequest.tool_config.function_calling_config.allowed_function_names'
  if (choice?.mode !== 'ANY' && choice?.mode !== 'VALIDATED')
    return [`${at}: should be set only when the function calling mode is ANY or VALIDATED.`]
  const declared = new Set(declarationsOf(request).map(({ name }) => name))
  return allowed.flatMap((name, index) =>
    declared.has(name) ? [] : [`${at}[${index}]: function name ${JSON.stringify(name)} is not among the function declarations.`],
  )
}

/** What the model's front end says in one sentence. */
export function findToolRefusal(request: GenerateRequest): string | undefined {
  const names = declarationsOf(request).map(({ name }) => name)
  if (names.length > maxDeclarations)
    return `Too many function declarations: ${names.length}, at most ${maxDeclarations} are supported.`
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `Duplicate function declaration found: ${twice}`
  const mode = request.toolConfig?.functionCallingConfig?.mode
  if (names.length === 0 && (mode === 'ANY' || mode === 'VALIDATED'))
    return 'Function calling config is set without function_declarations.'
  return undefined
}
