import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Operation = { KeyId?: string; Plaintext?: string; CiphertextBlob?: string; EncryptionContext?: Record<string, string> }
export type KmsCall = { target: string; authorization: string; body: Operation }

type Fault = { status: number; type: string; of?: 'Encrypt' | 'Decrypt' }

export type KmsServer = {
  endpoint: string
  calls: KmsCall[]
  /** The error that every call gets from now on, or those of one operation; undefined for none. */
  failWith(error: Fault | undefined): void
  /** As deleting a key does, after its waiting time. */
  forgetKey(arn: string): void
  close(): Promise<void>
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** AWS KMS as its clients see it, for Encrypt and Decrypt: its JSON protocol, with keys that it does not give away. */
export async function startKmsServer(arns: readonly string[]): Promise<KmsServer> {
  const keys = new Map(arns.map((arn) => [arn, randomBytes(32)]))
  const calls: KmsCall[] = []
  let fault: Fault | undefined

  const refuse = (type: string, status = 400) => ({ status, answer: { __type: type, message: 'refused' } })
  function operate(target: string, body: Operation): { status: number; answer: object } {
    const context = canonicalContext(body.EncryptionContext)
    if (fault !== undefined && target.endsWith(fault.of ?? '')) return refuse(fault.type, fault.status)
    if (target === 'TrentService.Encrypt') {
      const arn = body.KeyId ?? ''
      const key = keys.get(arn)
      if (key === undefined) return refuse('NotFoundException')
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(context)
      const sealed = Buffer.concat([cipher.update(Buffer.from(body.Plaintext ?? '', 'base64')), cipher.final()])
      const blob = Buffer.concat([Buffer.from([arn.length]), Buffer.from(arn), iv, cipher.getAuthTag(), sealed])
      return { status: 200, answer: { CiphertextBlob: blob.toString('base64'), KeyId: arn } }
    }
    if (target !== 'TrentService.Decrypt') return refuse('UnknownOperationException')
    const blob = Buffer.from(body.CiphertextBlob ?? '', 'base64')
    const at = 1 + (blob[0] ?? 0)
    const arn = blob.subarray(1, at).toString()
    const key = keys.get(arn)
    if (key === undefined) return refuse(arns.includes(arn) ? 'NotFoundException' : 'InvalidCiphertextException')
    try {
      const tagAt = at + IV_BYTES
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(at, tagAt)).setAAD(context)
      decipher.setAuthTag(blob.subarray(tagAt, tagAt + TAG_BYTES))
      const plain = Buffer.concat([decipher.update(blob.subarray(tagAt + TAG_BYTES)), decipher.final()])
      return { status: 200, answer: { Plaintext: plain.toString('base64'), KeyId: arn } }
    } catch {
      return refuse('InvalidCiphertextException')
    }
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Operation
    const target = String(request.headers['x-amz-target'])
    calls.push({ target, authorization: request.headers.authorization ?? '', body })
    const { status, answer } = operate(target, body)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    failWith(error) {
      fault = error
    },
    forgetKey: (arn) => void keys.delete(arn),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function canonicalContext(context: Record<string, string> = {}): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort()))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
