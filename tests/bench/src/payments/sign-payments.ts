import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { PaymentRequired } from '@x402/core/types'
import type { Hex } from 'viem'
import type { SignTask } from './sign-worker.ts'

// Longer than a run takes, and within the hour that the gateway allows.
const VALID_FOR_S = 3_000

/** Signs distinct payments on every core into a file, one header per line. Wallets take turns. */
export async function signPayments(options: {
  required: PaymentRequired
  privateKeys: readonly Hex[]
  count: number
  file: string
}): Promise<void> {
  const { required, privateKeys, count, file } = options
  const threads = Math.min(availableParallelism(), 8)
  const validBefore = Math.floor(Date.now() / 1000) + VALID_FOR_S
  const shares = Array.from({ length: threads }, (_, index) => Math.floor((count + index) / threads))
  const signed = await Promise.all(
    shares.map((share, index) => {
      // Neighbours in the file then come from different wallets, as payments of different customers would.
      const turned = [...privateKeys.slice((index * privateKeys.length) / threads), ...privateKeys].slice(0, privateKeys.length)
      return inThread({ required, privateKeys: turned, count: share, validBefore })
    }),
  )
  const interleaved = Array.from({ length: Math.max(...shares) }, (_, row) => signed.map((headers) => headers[row])).flat()
  writeFileSync(file, interleaved.flatMap((header) => (header === undefined ? [] : [`${header}\n`])).join(''), { mode: 0o600 })
}

function inThread(task: SignTask): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(import.meta.dirname, 'sign-worker.ts'), { workerData: task })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
