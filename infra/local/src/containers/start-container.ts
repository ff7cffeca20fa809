import { chownSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { StackFailure } from '../failure.ts'
import { freePort } from '../free-port.ts'
import type { Part, Site } from '../parts/part.ts'
import type { PartHandle, StartPartOptions } from '../parts/start-part.ts'
import { containerConfig } from './config.ts'
import { inside, recipes } from './recipes.ts'

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
  const owner = ownFolder(site, recipe.userId, recipe.files?.(site) ?? {}, part.name === 's3' ? ['objects'] : [])
  const logFile = join(options.dir, `${part.name}.log`)
  const generic = new GenericContainer(images[part.name])
    .withUser(owner)
    .withExposedPorts({ container: recipe.port(site), host: port })
    .withBindMounts([{ source: join(site.dir, 'container'), target: inside, mode: 'rw' }])
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

/** Makes the folder that the container gets; returns the user that it runs as: the image's own where we may give it the folder, else ours. */
function ownFolder(site: Site, userId: number, files: Record<string, string>, folders: readonly string[]): string {
  const own = join(site.dir, 'container')
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? userId : (process.getuid?.() ?? userId)
  for (const folder of [own, ...folders.map((name) => join(own, name))]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isRoot) chownSync(folder, user, user)
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(own, name), content, { mode: 0o644 })
  return `${user}:${isRoot ? user : (process.getgid?.() ?? user)}`
}
