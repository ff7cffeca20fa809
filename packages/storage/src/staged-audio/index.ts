export { type AudioUnreadable, type StagedAudioDeps, type StagingKeys, stagedAudio } from './staged-audio.ts'
export { openStagingKeys, type StagingKeyOptions } from './staging-keys.ts'
