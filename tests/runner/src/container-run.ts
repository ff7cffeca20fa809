import { spawnSync } from 'node:child_process'

const runLabel = 'turnpike.run'
const runPrefix = 'tests-'
/** The mark of this run on its containers. */
const run = `${runPrefix}${process.pid}`
// Of our own images the only one that a test starts; nobody can pull it.
const ownImage = 'turnpike/local:dev'

/** What the tests' processes are told; a sentence when no container could be started here. */
export function containerEnvironment(env: NodeJS.ProcessEnv): { env: Record<string, string> } | { problem: string } {
  if (docker(['version']) === undefined) return { problem: 'no Docker answers: set DOCKER_HOST, or leave --parts=containers out' }
  if (docker(['image', 'inspect', env.LOCAL_IMAGE || ownImage]) === undefined)
    return { problem: `the image ${ownImage} is missing: infra/docker/build.sh local` }
  // Testcontainers' own collector is one more image to pull, and a run takes its containers away itself.
  const collector = { TESTCONTAINERS_RYUK_DISABLED: env.TESTCONTAINERS_RYUK_DISABLED || 'true' }
  return { env: { TURNPIKE_PARTS: 'containers', TURNPIKE_RUN: run, ...collector } }
}

/** Takes away what a test of this run left behind when it was cut off, and what earlier runs did that were cut off themselves. */
export function removeContainers(): void {
  const rows = (
    docker(['ps', '-a', '--filter', `label=${runLabel}`, '--format', `{{.ID}} {{.Label "${runLabel}"}}`]) ?? ''
  ).split('\n')
  const left = rows.flatMap((row) => {
    const [id, owner = ''] = row.split(' ')
    return id && (owner === run || isOver(owner)) ? [id] : []
  })
  if (left.length > 0) docker(['rm', '-f', '-v', ...left])
}

/** Of a run whose process is gone. Folders are mounted, so whatever Docker runs was started on this machine. */
function isOver(owner: string): boolean {
  const pid = owner.startsWith(runPrefix) ? Number(owner.slice(runPrefix.length)) : Number.NaN
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function docker(args: string[]): string | undefined {
  const { status, stdout } = spawnSync('docker', args, { encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}
