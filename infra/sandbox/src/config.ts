import type { SandboxOptions } from './start-sandbox.ts'

/** The one place that names the sandbox's environment variables; README.md lists them. */
export function loadConfig(env: NodeJS.ProcessEnv): SandboxOptions {
  const options: SandboxOptions = {
    geminiPort: integer(env, 'GEMINI_PORT', 65_535),
    elevenlabsPort: integer(env, 'ELEVENLABS_PORT', 65_535),
    adminPort: integer(env, 'ADMIN_PORT', 65_535),
    latencyMs: integer(env, 'LATENCY_MS', 3_600_000),
  }
  if (env.HOST) options.host = env.HOST
  if (env.STATE_DIR) options.stateDir = env.STATE_DIR
  if (env.GEMINI_API_KEY) options.geminiApiKey = env.GEMINI_API_KEY
  if (env.ELEVENLABS_API_KEY) options.elevenlabsApiKey = env.ELEVENLABS_API_KEY
  if (env.ELEVENLABS_VOICES) options.elevenlabsVoices = env.ELEVENLABS_VOICES.split(',').map((voice) => voice.trim())
  return options
}

function integer(env: NodeJS.ProcessEnv, name: string, maximum: number): number {
  const text = env[name] || '0'
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > maximum)
    throw new Error(`${name} must be an integer from 0 to ${maximum}, not ${JSON.stringify(text)}`)
  return value
}
