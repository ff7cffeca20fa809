import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkOnChain } from './check-on-chain.ts'
import { type Check, checkContent, checkResponse, checkSignature, fieldsOf, type Jwks } from './verify-receipt.ts'

const USAGE = `Usage: verify-receipt <file or -> [--jwks <url or file>] [--response <file>] [--rpc <url>]

  <file>       the receipt as GET /v1/receipts/{id} returned it; - reads it from standard input
  --jwks       the issuer's published keys, /.well-known/jwks.json; a running local stack's by default
  --response   the response body, byte for byte, to hold against the receipt
  --rpc        a node of Base, to hold the transaction against the receipt

Exit status: 0 everything that was checked holds, 1 something does not, 2 it could not be checked.
`

/** Where the user stands: npm changes to the package's folder before it runs a script. */
const userFolder = process.env.INIT_CWD ?? process.cwd()
const checkoutRoot = join(import.meta.dirname, '../../..')

class CannotCheck extends Error {}

async function main(): Promise<number> {
  const { file, jwks: keysAt, response, rpc } = readArguments()
  const receipt = fieldsOf(parseJson('the receipt', file === '-' ? readFileSync(0) : readBytes(file)))
  const keysSource = keysAt ?? keysOfLocalStack()
  const checks = [checkSignature(receipt, await readKeys(keysSource)), ...checkContent(receipt)]
  if (response !== undefined) checks.push(checkResponse(receipt, readBytes(response)))
  if (rpc !== undefined) checks.push(...(await checkOnChain(receipt, rpc)))

  const { price, payment, model, created } = receipt
  const bought = `${String(model)}, ${String(fieldsOf(price).amount)} USDC by ${String(fieldsOf(payment).payer)}`
  print(`Receipt ${String(receipt.id)}: ${bought}, ${dateOf(created)}`)
  print(`Keys from ${keysSource}`, '')
  for (const { holds, says } of checks) print(`  ${holds ? 'yes' : 'NO '}  ${says}`)
  if (response === undefined) print('  ---  not checked: whether a response is the one that was sold (--response <file>)')
  if (rpc === undefined) print('  ---  not checked: whether the chain holds the transfer (--rpc <url>)')
  const failed = checks.filter(({ holds }: Check) => !holds).length
  print('', failed === 0 ? 'The receipt holds.' : 'The receipt does NOT hold.')
  return failed === 0 ? 0 : 1
}

function readArguments(): { file: string; jwks?: string; response?: string; rpc?: string } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { jwks: { type: 'string' }, response: { type: 'string' }, rpc: { type: 'string' } },
    })
    const [file, ...rest] = positionals
    if (file !== undefined && rest.length === 0) return { file, ...values }
  } catch {
    // The usage says it.
  }
  throw new CannotCheck(USAGE)
}

async function readKeys(source: string): Promise<Jwks> {
  const found = fieldsOf(parseJson('the keys', /^https?:\/\//.test(source) ? await download(source) : readBytes(source)))
  if (!Array.isArray(found.keys)) throw new CannotCheck(`${source} holds no keys`)
  return { keys: found.keys.map(fieldsOf) }
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(15_000) }).catch(() => undefined)
  if (response?.ok !== true) throw new CannotCheck(`${url} cannot be read: ${response?.status ?? 'no answer'}`)
  return Buffer.from(await response.arrayBuffer())
}

function keysOfLocalStack(): string {
  const stackFile = join(resolve(checkoutRoot, process.env.TURNPIKE_HOME || '.local'), 'stack.json')
  if (!existsSync(stackFile))
    throw new CannotCheck('No local stack runs: say where the issuer publishes its keys, --jwks <url or file>.')
  return `${String(fieldsOf(parseJson('the stack file', readFileSync(stackFile))).baseUrl)}/.well-known/jwks.json`
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(resolve(userFolder, file))
  } catch {
    throw new CannotCheck(`${file} cannot be read`)
  }
}

function parseJson(what: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new CannotCheck(`${what} is not JSON`)
  }
}

function dateOf(created: unknown): string {
  return typeof created === 'number' && Number.isSafeInteger(created) && created < 1e11
    ? new Date(created * 1000).toISOString()
    : 'undated'
}

function print(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}

try {
  process.exitCode = await main()
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error)
  process.stderr.write(error instanceof CannotCheck ? `${sentence.trimEnd()}\n` : `It cannot be checked: ${sentence}\n`)
  process.exitCode = 2
}
