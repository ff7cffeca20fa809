import openapiTS, { astToString } from 'openapi-typescript'

/**
 * The TypeScript that openapi-typescript makes of an OpenAPI document. In a workspace of its own, because it asks for an older compiler
 * than the one that checks these sources.
 */
export async function typesOfDocument(document: object): Promise<string> {
  return astToString(await openapiTS(structuredClone(document) as Parameters<typeof openapiTS>[0]))
}
