import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kube } from './kube.ts'

/** The logs of every pod that is there, each in a file of its own, for whoever looks for the reason of a difference. */
export async function keepLogs(kube: Kube, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const names = (await kube.kubectl(['get', 'pods', '-o', 'name'])).split('\n').filter((name) => name !== '')
  for (const name of names) {
    const { stdout } = await kube.tryKubectl(['logs', name, '--all-containers'])
    writeFileSync(join(folder, `${name.replace('pod/', '')}.log`), stdout)
  }
  const { stdout } = await kube.tryKubectl(['get', 'events', '--sort-by=.lastTimestamp'])
  writeFileSync(join(folder, 'events.txt'), stdout)
}
