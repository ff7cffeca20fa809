export type { Call, Outcome } from './call-log.ts'
export { speechClip } from './elevenlabs/speech-clip.ts'
export type { Fault, FaultKind } from './fault-list.ts'
export type { UpstreamName } from './reply.ts'
export {
  defaultElevenLabsApiKey,
  defaultGeminiApiKey,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from './start-sandbox.ts'
