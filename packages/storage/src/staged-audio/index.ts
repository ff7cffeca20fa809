export { type SampleEnd, type SampleKey, sampleKey } from './sample-key.ts'
export {
  type AudioToStage,
  type AudioUnreadable,
  type StagedAudio,
  type StagedAudioDeps,
  type StagingKeys,
  stagedAudio,
} from './staged-audio.ts'
export { openStagingKeys, type StagingKeyOptions } from './staging-keys.ts'
