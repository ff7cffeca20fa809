export { type Mp3Refusal, type Mp3Walk, walkMp3 } from './walk-mp3.ts'
