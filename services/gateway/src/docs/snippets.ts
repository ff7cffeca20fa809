import { readFileSync } from 'node:fs'

export type Snippet = {
  id: string
  name: string
  language: 'sh' | 'js' | 'python'
  install?: string
  code(baseUrl: string): string
}

const NODE = 'npm install @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.57.1'

/** What a reader pastes; the files in snippets/ as they stand, with the address of the service. A test runs those for Node and for curl. */
export const SNIPPETS: readonly Snippet[] = [
  { id: 'curl', name: 'curl', language: 'sh', code: snippet('curl') },
  { id: 'typescript', name: 'TypeScript', language: 'js', install: NODE, code: snippet('typescript') },
  {
    id: 'python',
    name: 'Python',
    language: 'python',
    install: 'pip install "x402[evm,requests]==2.25.0"',
    code: snippet('python'),
  },
  { id: 'openai', name: 'OpenAI SDK', language: 'js', install: `${NODE} openai`, code: snippet('openai') },
  { id: 'anthropic', name: 'Anthropic SDK', language: 'js', install: `${NODE} @anthropic-ai/sdk`, code: snippet('anthropic') },
]

/** Says whether a receipt is genuine, without a network. */
export const CHECK_RECEIPT = textOf('check-receipt').trimEnd()

function snippet(id: string): Snippet['code'] {
  const text = textOf(id)
  return (baseUrl) => text.replaceAll('{base_url}', baseUrl)
}

function textOf(name: string): string {
  return readFileSync(new URL(`./snippets/${name}.txt`, import.meta.url), 'utf8')
}
