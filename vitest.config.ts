import { configDefaults, defineConfig } from 'vitest/config'

// What starts no process and leaves nothing behind in its own: one process runs them one after the other, and loads what they share once.
const units = [
  'packages/{contracts,catalog,sealing,providers,payments,verify-receipt}/**/*.test.ts',
  'services/gateway/**/*.test.ts',
  'infra/observability/**/*.test.ts',
  'tests/{architecture,cluster,crowd}/**/*.test.ts',
]
const ownStack = ['tests/faults/**/*.test.ts', 'tests/e2e/src/{restart,strict-stack}.test.ts']

// `units`: what needs no process but its own. `parts`: integration tests that start the real parts they need, and what is like them.
// `stack`: against one running stack. `own-stack`: each on a stack of its own, which it stops, breaks or sets up in its own way.
// `wire`: slow ones about connections, by npm run test:wire.
export default defineConfig({
  test: {
    // What ends a test that hangs: small machines are at times twenty times slower than themselves.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that is waited for has as long as the test: the default is one second.
    expect: { poll: { timeout: 100_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'units', include: units, maxWorkers: 1, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'infra/!(helm)/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...units],
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        // One process after the other would load and render the same again.
        test: { name: 'chart', include: ['infra/helm/**/*.test.ts'], maxWorkers: 1, isolate: false },
      },
      {
        extends: true,
        // Some of their tests start and stop whole stacks.
        test: { name: 'own-stack', include: ownStack, fileParallelism: false, testTimeout: 300_000, hookTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'wire',
          include: ['services/**/*.wire.ts', 'tests/wire/**/*.wire.ts'],
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['tests/e2e/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ownStack],
          globalSetup: ['tests/e2e/src/shared-stack.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
    ],
  },
})
