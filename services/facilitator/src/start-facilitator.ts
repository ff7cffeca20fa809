import type { AddressInfo } from 'node:net'
import { CHAIN_ID, type ChainRpc, hasCode, openChainRpc, USDC_ADDRESS } from '@turnpike/payments'
import { type Check, closeServer, createHttpServer, type Logger, listen, type Metrics, serverWire } from '@turnpike/service'
import { privateKeyToAccount } from 'viem/accounts'
import type { FacilitatorSettings } from './config.ts'
import { createFacilitatorMetrics } from './facilitator-metrics.ts'
import { createHttpApp } from './http-app.ts'
import { createPaymentFacilitator } from './payment-facilitator.ts'
import { createSettledMemory } from './settled-memory.ts'
import { openSettlementQueue } from './settlement-queue.ts'
import { openSignerAccount } from './signer-account.ts'

export interface RunningFacilitator {
  port: number
  checks: Record<string, Check>
  /** Takes no new request and lets every settlement that was begun finish. */
  close(): Promise<void>
}

export async function startFacilitator(
  settings: FacilitatorSettings,
  deps: { logger: Logger; metrics: Metrics },
): Promise<RunningFacilitator> {
  const { logger } = deps
  const rpc = openChainRpc({ url: settings.chainRpcUrl, timeoutMs: settings.chainRpcTimeoutMs })
  const metrics = createFacilitatorMetrics(deps.metrics)
  const accounts = settings.signerPrivateKeys.map((key) =>
    openSignerAccount({
      rpc,
      account: privateKeyToAccount(key),
      logger,
      limits: { stuckAfterMs: settings.stuckAfterMs, maxFeePerGasWei: BigInt(settings.maxFeePerGasGwei) * 10n ** 9n },
      observe: metrics,
    }),
  )
  const addresses = accounts.map(({ address }) => address)
  const settled = createSettledMemory()
  const queue = openSettlementQueue({ client: rpc.client, accounts, settled, logger, limits: settings, observe: metrics })
  const gasMoneyWei = async () => {
    const balances = await Promise.all(addresses.map((address) => rpc.client.getBalance({ address })))
    return balances.reduce((sum, wei) => sum + wei, 0n)
  }
  metrics.watch({ waiting: queue.waiting, gasMoneyWei })
  const facilitator = createPaymentFacilitator({
    client: rpc.client,
    queue,
    addresses,
    settled,
    maxTransferGas: BigInt(settings.maxTransferGas),
    verifications: { maxTaken: settings.maxVerifying, maxWaiting: settings.maxWaitingVerifications },
  })
  const app = createHttpApp({ facilitator, recipients: settings.payTo, tokens: settings.token, metrics, logger })
  let isClosing = false
  const server = createHttpServer(serverWire('facilitator', settings), (request, response) => {
    // A connection that becomes idle while we wait for others would be kept open for its five seconds, and the exit with it.
    response.once('close', () => isClosing && setImmediate(() => server.closeIdleConnections()))
    app(request, response)
  })
  await listen(server, settings.port, settings.host)
  const { port } = server.address() as AddressInfo
  logger.info({ port, signers: addresses }, 'listening')
  return {
    port,
    checks: { chain: () => isBaseWithUsdc(rpc), gas: async () => (await gasMoneyWei()) > 0n },
    async close() {
      isClosing = true
      await closeServer(server)
      await queue.drain()
    },
  }
}

async function isBaseWithUsdc(rpc: ChainRpc): Promise<boolean> {
  const [chainId, isToken] = await Promise.all([rpc.client.getChainId(), hasCode(rpc, USDC_ADDRESS)])
  return chainId === CHAIN_ID && isToken
}
