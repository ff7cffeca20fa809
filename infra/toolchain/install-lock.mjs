// Plain JavaScript without imports of ours: nothing is installed yet.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

const RETRY_MS = 200
// A lock this old was left by a process whose pid another one has now.
const OLDEST_MS = 30 * 60_000
// Its owner writes its pid at once; a lock that stays empty was left by one that died in between.
const EMPTY_MS = 5_000

/**
 * One process of this checkout at a time; a lock whose owner is gone is nobody's. `onWait` hears once whom it waits for. Gives what ends
 * it; it also ends with the process, however that ends by itself.
 */
export async function lock(file, onWait = () => {}) {
  for (let said = false; ; ) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      const release = () => rmSync(file, { force: true })
      process.once('exit', release)
      return () => {
        process.off('exit', release)
        release()
      }
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = ownerOf(file)
    if (owner.isGone) rmSync(file, { force: true })
    else if (!said) {
      said = true
      onWait(owner.pid)
    }
    await new Promise((done) => setTimeout(done, RETRY_MS))
  }
}

function ownerOf(file) {
  try {
    const ageMs = Date.now() - statSync(file).mtimeMs
    const pid = Number(readFileSync(file, 'utf8')) || undefined
    return { pid, isGone: ageMs > OLDEST_MS || (pid === undefined ? ageMs > EMPTY_MS : !isRunning(pid)) }
  } catch (error) {
    // Released between the two looks.
    if (error.code === 'ENOENT') return { pid: undefined, isGone: false }
    throw error
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
