import { connectChain, mintUsdc, type StackHandle } from '@turnpike/local'
import { transfersToSeller } from '@turnpike/testing'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { BenchRun } from '../bench-run.ts'
import type { BenchChild } from '../child-process.ts'
import type { Cores } from '../machine/cores.ts'
import type { Accounted } from '../machine/cpu-time.ts'
import type { Options } from '../options.ts'
import type { Progress } from '../report/progress.ts'
import type { Bench, Side } from './measure.ts'
import { runPaid } from './paid.ts'
import type { ScenarioSummary } from './summarize.ts'
import { runUnpaid } from './unpaid.ts'

const WALLETS = 128
const USDC_PER_WALLET_ATOMIC = 1_000_000_000n
const REFERENCE = '@x402/express'

/** Processes of a stack that stand for the world outside: on Base nobody runs the chain himself. */
const OUTSIDE = new Set(['chain', 'sandbox'])

export async function runScenarios(
  run: BenchRun,
  cores: Cores,
  options: Options,
  progress: Progress,
): Promise<ScenarioSummary[]> {
  const summaries: ScenarioSummary[] = []
  const wants = (id: 'a' | 'b' | 'c') => options.only.includes(id)
  if (wants('a') || wants('c')) {
    progress.step('starting a stack')
    const real = await run.startStack('stack')
    const reference = await run.startReference('real', {
      // The facilitator pays gas for the seller's transfers only.
      payTo: real.stack.payTo,
      facilitatorUrl: real.stack.facilitatorUrl,
    })
    if (wants('a')) {
      progress.scenario('a')
      const bench: Bench = {
        run,
        cores,
        arrangement: 'front alone',
        sides: [stackSide(run, real), referenceSide(run, reference)],
      }
      summaries.push(await runUnpaid(bench, options, progress.round))
    }
    if (wants('c')) {
      progress.scenario('c')
      summaries.push(await runSettled(run, cores, options, progress, real, reference))
    }
    progress.step('stopping the stack')
    await run.stop(reference)
    await run.stop(real)
  }
  if (wants('b')) {
    progress.step('starting a stack whose settlement is a stub')
    summaries.push(await runStubbed(run, cores, options, progress))
  }
  return summaries.sort((one, other) => one.id.localeCompare(other.id))
}

async function runSettled(
  run: BenchRun,
  cores: Cores,
  options: Options,
  progress: Progress,
  real: StackHandle,
  reference: BenchChild & { url: string },
): Promise<ScenarioSummary> {
  const chain = (): Accounted[] => processesOf(real).filter(({ name }) => name === 'chain')
  const facilitator = (): Accounted[] => processesOf(real).filter(({ name }) => name === 'facilitator')
  const ours = stackSide(run, real)
  // The reference settles through the same facilitator.
  const plain = referenceSide(run, reference)
  const theirs: Side = {
    ...plain,
    servers: () => [...plain.servers(), ...facilitator()],
    outside: () => [...plain.outside(), ...chain()],
  }
  progress.step(`funding ${WALLETS} wallets`)
  const privateKeys = await fundedWallets(real)
  return runPaid({ run, cores, arrangement: 'front alone', sides: [ours, theirs] }, options, {
    id: 'c',
    ours: meteredAt(real),
    title: 'Paid request to 200, settled on the local chain through our facilitator',
    privateKeys,
    onSigning: progress.signing,
    onRound: progress.round,
    check: async (answered) => {
      const transfers = (await transfersToSeller(real.stack)).length
      return [`${answered} answers with 200 by both sides, ${transfers} transfers to the seller on the chain`]
    },
  })
}

async function runStubbed(run: BenchRun, cores: Cores, options: Options, progress: Progress): Promise<ScenarioSummary> {
  const stub = await run.startStubSettlement()
  const stubbed = await run.startStack('stubbed', {
    FACILITATOR_URL: stub.url,
    CHAIN_RPC_URL: `${stub.url}/rpc`,
    PAY_TO: randomAddress(),
  })
  const reference = await run.startReference('stubbed', { payTo: randomAddress(), facilitatorUrl: stub.url })
  progress.scenario('b')
  const withStub = (side: Side): Side => ({
    ...side,
    outside: () => [...side.outside(), { name: 'stub settlement', pid: stub.pid }],
  })
  const sides = [withStub(stackSide(run, stubbed)), withStub(referenceSide(run, reference))] as const
  const bench: Bench = { run, cores, arrangement: 'front alone', sides }
  return runPaid(bench, options, {
    id: 'b',
    ours: meteredAt(stubbed),
    title: 'Paid request to 200, settlement stubbed',
    privateKeys: Array.from({ length: WALLETS }, generatePrivateKey),
    onSigning: progress.signing,
    onRound: progress.round,
    check: async () => [
      'one stub stands for the facilitator and, because the ledger reads every transfer itself, for the node that confirms it',
    ],
  })
}

function meteredAt({ stack }: StackHandle): { gatewayUrl: string; redisUrl: string } {
  const gatewayUrl = stack.processes.find(({ name }) => name === 'gateway')?.internalUrl
  if (gatewayUrl === undefined) throw new Error('the stack names no gateway')
  return { gatewayUrl, redisUrl: stack.redisUrl }
}

function stackSide(run: BenchRun, handle: StackHandle): Side {
  const isOutside = ({ name }: Accounted) => OUTSIDE.has(name)
  return {
    name: 'turnpike',
    url: handle.stack.baseUrl,
    front: 'gateway',
    servers: () => [...processesOf(handle).filter((process) => !isOutside(process)), { name: 'supervisor', pid: handle.pid }],
    outside: () => [...processesOf(handle).filter(isOutside), { name: 'upstream', pid: run.upstream.pid }],
  }
}

function referenceSide(run: BenchRun, reference: BenchChild & { url: string }): Side {
  return {
    name: REFERENCE,
    url: reference.url,
    front: REFERENCE,
    servers: () => [{ name: REFERENCE, pid: reference.pid }],
    outside: () => [{ name: 'upstream', pid: run.upstream.pid }],
  }
}

function processesOf(handle: StackHandle): Accounted[] {
  return handle.stack.processes.map(({ name, pid }) => ({ name, pid }))
}

async function fundedWallets(real: StackHandle): Promise<Hex[]> {
  const chain = connectChain(real.stack.chain.rpcUrl)
  const privateKeys = Array.from({ length: WALLETS }, generatePrivateKey)
  for (const key of privateKeys) await mintUsdc(chain, privateKeyToAddress(key), USDC_PER_WALLET_ATOMIC)
  return privateKeys
}

function randomAddress(): Hex {
  return privateKeyToAddress(generatePrivateKey())
}
