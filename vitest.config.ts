import { defineConfig } from 'vitest/config'

// `parts`: unit tests, and integration tests that start the real parts they need. `stack`: against a whole running stack. `faults`: on a
// stack of its own, which it breaks.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: [
            'packages/**/*.test.ts',
            'services/**/*.test.ts',
            'infra/**/*.test.ts',
            'tests/{architecture,crowd,cluster}/**/*.test.ts',
          ],
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: { name: 'faults', include: ['tests/faults/**/*.test.ts'], fileParallelism: false, testTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['tests/e2e/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          globalSetup: ['tests/e2e/src/shared-stack.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
    ],
  },
})
