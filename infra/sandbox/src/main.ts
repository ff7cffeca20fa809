import { loadConfig } from './config.ts'
import { prepareSyllables } from './elevenlabs/synthesize.ts'
import { startSandbox } from './start-sandbox.ts'

prepareSyllables('mp3_44100_128')
const sandbox = await startSandbox(loadConfig(process.env))
process.stdout.write(
  `sandbox ready: gemini ${sandbox.geminiUrl}, elevenlabs ${sandbox.elevenlabsUrl}, admin ${sandbox.adminUrl}\n`,
)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      },
    )
  })
