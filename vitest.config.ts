import { configDefaults, defineConfig } from 'vitest/config'

const ownStack = ['tests/faults/**/*.test.ts', 'tests/e2e/src/{restart,strict-stack}.test.ts']

// `parts`: unit tests, and integration tests that start the real parts they need. `stack`: against one running stack. `own-stack`: each
// on a stack of its own, which it stops, breaks or sets up in its own way. `wire`: slow ones about connections, by npm run test:wire.
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
        test: {
          name: 'parts',
          include: [
            'packages/**/*.test.ts',
            'services/**/*.test.ts',
            'infra/!(helm)/**/*.test.ts',
            'tests/{architecture,crowd,cluster}/**/*.test.ts',
          ],
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
        test: { name: 'own-stack', include: ownStack, fileParallelism: false, testTimeout: 120_000 },
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
