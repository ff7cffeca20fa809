import { chownSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { StackFailure } from '../failure.ts'
import { freePort } from '../free-port.ts'
import type { Part, Site } from '../parts/part.ts'
import type { PartHandle, StartPartOptions } from '../parts/start-part.ts'
import { containerConfig } from './config.ts'
import { inside, type Recipe, recipes } from './recipes.ts'

const stopTimeoutMs = 8_000
// A container is made, and Kafka's starts Java twice, where a process is only started.
const slowerThanProcess = 3

/**
 * Starts one part in a container of its own, on a port of this machine, with its data in the part's folder: the same address, the same
 * handle and the same data after a kill as the process has. Whether it answers is asked of the part itself.
 */
export async function startContainer<Software, Address>(
  part: Part<Software, Address>,
  options: StartPartOptions,
): Promise<Address & PartHandle> {
  const { images, run } = containerConfig(process.env)
  const recipe = recipes[part.name]
  const port = options.port ?? (await freePort())
  const site: Site = { dir: options.dir, port, sidePort: options.sidePort ?? (await freePort(new Set([port]))) }
  const { user, folder } = ownFolder(site, recipe)
  recipe.beforeStart?.(site)
  const logFile = join(options.dir, `${part.name}.log`)
  const generic = new GenericContainer(images[part.name])
    .withUser(user)
    .withExposedPorts({ container: recipe.port(site), host: port })
    .withBindMounts([{ source: folder, target: inside, mode: 'rw' }])
    .withEnvironment(recipe.environment(site))
    .withLabels({ 'turnpike.run': run, 'turnpike.part': part.name })
    .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile, { flags: 'a' })))
    .withStartupTimeout(part.readyTimeoutMs * slowerThanProcess)
    // The part itself is asked, below.
    .withWaitStrategy(Wait.forAll([]))
  if (recipe.entrypoint !== undefined) generic.withEntrypoint(recipe.entrypoint(site))
  if (recipe.command !== undefined) generic.withCommand(recipe.command(site))
  const started = await generic.start()
  const { container } = await getContainerRuntimeClient()
  const running = container.getById(started.getId())
  try {
    await untilAnswers(part, site, logFile)
    await part.fill(site, () => {})
  } catch (error) {
    await running.remove({ force: true, v: true })
    throw error
  }
  const { State } = await running.inspect()
  let isGone = false
  const remove = async () => {
    if (!isGone) await running.remove({ force: true, v: true })
    isGone = true
  }
  return {
    ...part.address(site),
    pid: State.Pid,
    port,
    sidePort: site.sidePort,
    dir: options.dir,
    logFile,
    stop: async () => {
      if (!isGone) await started.stop({ timeout: stopTimeoutMs, remove: true, removeVolumes: true })
      isGone = true
    },
    kill: remove,
  }
}

async function untilAnswers<Software, Address>(part: Part<Software, Address>, site: Site, logFile: string): Promise<void> {
  const deadline = Date.now() + part.readyTimeoutMs * slowerThanProcess
  while (!(await part.answers(site).catch(() => false))) {
    if (Date.now() > deadline) throw new StackFailure(`The container of ${part.name} does not answer; see ${logFile}.`)
    await sleep(50)
  }
}

/**
 * Makes the part's folder; returns the user that the container runs as: the image's own where we may give the folder away, else ours. What
 * the image's own user keeps lies in a folder below, because the one above is ours.
 */
function ownFolder(site: Site, recipe: Recipe): { readonly user: string; readonly folder: string } {
  const mine = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 }
  const theirId = recipe.userId !== 'ours' && mine.user === 0 ? recipe.userId : undefined
  const folder = theirId === undefined ? site.dir : join(site.dir, 'container')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of recipe.folders ?? []) mkdirSync(join(folder, name), { recursive: true })
  for (const [name, content] of Object.entries(recipe.files?.(site) ?? {}))
    writeFileSync(join(folder, name), content, { mode: 0o644 })
  if (theirId === undefined) return { user: `${mine.user}:${mine.group}`, folder }
  chownSync(folder, theirId, theirId)
  return { user: `${theirId}:${theirId}`, folder }
}
