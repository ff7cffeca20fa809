import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkoutRoot, type Home, homeAt } from './home.ts'
import { keptIdentity } from './identity.ts'
import { runningStack } from './stack-file.ts'
import { storeWire } from './units/guarded-environment.ts'
import { keptPasswords } from './wire/accounts.ts'
import { keptTokens } from './wire/guards.ts'

const auditorMain = 'services/auditor/src/main.ts'

/** What the auditor needs to know of the stack that runs on a home: the same variables that an operator sets. */
export function auditorEnvironment(folder: string): Record<string, string> {
  const home = homeAt(folder)
  const { gateways, chain, payTo, s3, processes, guarded } = runningStack(home)
  const { internalToken, receiptTokenKeys, contentKeys, signer } = keptIdentity(home)
  const ledgers = processes.flatMap(({ name, internalUrl }) =>
    name === 'ledger' && internalUrl !== undefined ? [internalUrl] : [],
  )
  return {
    GATEWAY_URL: gateways.join(','),
    LEDGER_URL: ledgers.join(','),
    INTERNAL_TOKEN: internalToken,
    RECEIPT_TOKEN_KEYS: receiptTokenKeys,
    CONTENT_KEYS: contentKeys,
    CHAIN_RPC_URL: chain.rpcUrl,
    PAY_TO: payTo,
    FACILITATOR_SIGNERS: signer.address,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    ...(guarded === undefined ? {} : guardedAuditor(home, guarded)),
  }
}

/** Under its own name, with a token that reads and commands nothing. */
function guardedAuditor(home: Home, guarded: { readonly caFile: string }): Record<string, string> {
  return {
    LEDGER_TLS_CA_FILE: guarded.caFile,
    AUDIT_TOKEN: keptTokens(home).auditToken,
    ...storeWire(guarded, 'auditor', keptPasswords(home.dataOf('s3')).auditor),
  }
}

export interface AuditRun {
  /** 0: no difference; 1: differences; 2: it could not be carried out. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the auditor over the stack that runs on a home, over all of its chain unless the arguments say otherwise. `terminal`: its output
 * goes to ours and is not returned.
 */
export async function auditStack(
  home: string,
  args: readonly string[] = [],
  options: { readonly terminal?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<AuditRun> {
  return await runAuditor({ ...auditorEnvironment(home), ...options.env }, args, options)
}

/** The same over whatever the environment names. */
export async function runAuditor(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  options: { readonly terminal?: boolean } = {},
): Promise<AuditRun> {
  const isChosen = args.some((arg) => /^--(from|last|every)\b/.test(arg))
  const output = options.terminal === true ? 'inherit' : 'pipe'
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(checkoutRoot, auditorMain), ...(isChosen ? [] : ['--from', '0']), ...args],
    { cwd: checkoutRoot, env: { ...process.env, ...env }, stdio: ['ignore', output, output] },
  )
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { status, stdout, stderr }
}
