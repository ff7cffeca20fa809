import { type Step, timed } from './step.ts'

/** What an operator runs after an installation. */
export const helmTest: Step = {
  name: 'helm test',
  repeats: 'none',
  async run({ helm }) {
    const { ms, result } = await timed(() => helm.test())
    if (result.status !== 0) throw new Error(`helm test: ${(result.stderr || result.stdout).trim().slice(-800)}`)
    const passed = result.stdout.match(/Phase:\s+Succeeded/g)?.length ?? 0
    if (passed === 0) throw new Error('the chart has no test')
    return { passed, seconds: Math.round(ms / 100) / 10 }
  },
}
