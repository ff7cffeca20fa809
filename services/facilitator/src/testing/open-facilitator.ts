import { type Hex, openFacilitatorClient, type SettleResult } from '@turnpike/payments'
import { createLogger, createMetrics } from '@turnpike/service'
import { privateKeyToAccount } from 'viem/accounts'
import type { FacilitatorSettings } from '../config.ts'
import { type RunningFacilitator, startFacilitator } from '../start-facilitator.ts'
import type { SignedPayment } from './signed-payment.ts'

// Nothing that a test waits for fails because a small machine is slow; what is to fail in time says so itself.
const PATIENCE_MS = 60_000

export interface OpenFacilitator {
  url: string
  signer: Hex
  running: RunningFacilitator
  settle(payment: SignedPayment): Promise<SettleResult>
  client: ReturnType<typeof openFacilitatorClient>
  /** Settlements that no account has taken yet. */
  waiting(): Promise<number>
  /** How many transactions were sent again with higher fees. */
  replaced(): Promise<number>
  close(): Promise<void>
}

/** The service in this process, on a free port. */
export async function openFacilitator(
  chainRpcUrl: string,
  signerPrivateKey: Hex,
  settings: Partial<FacilitatorSettings> = {},
): Promise<OpenFacilitator> {
  const metrics = createMetrics('facilitator')
  const running = await startFacilitator(
    {
      host: '127.0.0.1',
      port: 0,
      internalPort: 0,
      logFormat: 'json',
      logLevel: 'silent',
      chainRpcUrl,
      chainRpcTimeoutMs: PATIENCE_MS,
      signerPrivateKeys: [signerPrivateKey],
      payTo: undefined,
      token: undefined,
      serverTlsCert: undefined,
      serverTlsKey: undefined,
      maxBatch: 50,
      maxTransferGas: 300_000,
      maxVerifying: 64,
      maxWaitingVerifications: 1_000,
      maxWaiting: 1_000,
      answerTimeoutMs: PATIENCE_MS,
      stuckAfterMs: 20_000,
      maxFeePerGasGwei: 100,
      shutdownGraceMs: 10_000,
      ...settings,
    },
    { logger: createLogger({ service: 'facilitator', format: 'json', level: 'silent' }), metrics },
  )
  const url = `http://127.0.0.1:${running.port}`
  const client = openFacilitatorClient({ url, timeoutMs: PATIENCE_MS, settleTimeoutMs: 1.5 * PATIENCE_MS })
  const read = async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0
  return {
    url,
    signer: privateKeyToAccount(signerPrivateKey).address,
    running,
    client,
    settle: (payment) => client.settle(payment),
    waiting: () => read('turnpike_facilitator_settlements_waiting'),
    replaced: () => read('turnpike_facilitator_transactions_replaced_total'),
    async close() {
      await client.close()
      await running.close()
    },
  }
}
