import type { Logger } from '@turnpike/service'
import type { ClosedModels } from '../closed-models.ts'

const UP_EVERY_MS = 10_000
const AWAY_EVERY_MS = 2_000
const KEYS_UP = 'the key service is up'
const KEYS_AWAY = 'staging keys cannot be wrapped here, or not be unwrapped by any worker'

/**
 * Closes what cannot be taken without the key service as well: audio is encrypted before its job is published and opened by a worker, so a
 * client would sign and get nothing. Asked in the background, a few times a minute, because every question is a call that the service charges for.
 */
export async function closeWithoutKeys(options: {
  closedModels: ClosedModels
  /** Those that need a key. */
  models: readonly string[]
  keysAnswer: () => Promise<boolean>
  logger: Logger
}): Promise<ClosedModels> {
  const { closedModels, models, keysAnswer, logger } = options
  if (models.length === 0) return closedModels
  let isUp = true
  let isOver = false
  let timer: NodeJS.Timeout

  async function ask(): Promise<void> {
    const answers = await keysAnswer()
    if (answers !== isUp) logger[answers ? 'info' : 'warn']({ models }, answers ? KEYS_UP : KEYS_AWAY)
    isUp = answers
    if (!isOver) timer = setTimeout(() => void ask(), isUp ? UP_EVERY_MS : AWAY_EVERY_MS)
  }
  await ask()

  return {
    closure(model) {
      if (isUp || !models.includes(model)) return closedModels.closure(model)
      return { code: 'provider_unavailable', retryAfterS: AWAY_EVERY_MS / 1_000 }
    },
    closed: () => (isUp ? closedModels.closed() : [...new Set([...closedModels.closed(), ...models])]),
    close() {
      isOver = true
      clearTimeout(timer)
      closedModels.close()
    },
  }
}
