import { spawnSync } from 'node:child_process'

/** The mark of this run on its containers. */
const run = `tests-${process.pid}`
// Of our own images the only one that a test starts; nobody can pull it.
const ownImage = 'turnpike/local:dev'

/** What the tests' processes are told; a sentence when no container could be started here. */
export function containerEnvironment(env: NodeJS.ProcessEnv): { env: Record<string, string> } | { problem: string } {
  if (docker(['version']) === undefined) return { problem: 'no Docker answers: set DOCKER_HOST, or leave --parts=containers out' }
  if (docker(['image', 'inspect', env.LOCAL_IMAGE || ownImage]) === undefined)
    return { problem: `the image ${ownImage} is missing: infra/docker/build.sh local` }
  return { env: { TURNPIKE_PARTS: 'containers', TURNPIKE_RUN: run } }
}

/** Takes away what a test that was cut off left behind. */
export function removeContainers(): void {
  const left = (docker(['ps', '-aq', '--filter', `label=turnpike.run=${run}`]) ?? '').split('\n').filter((id) => id !== '')
  if (left.length > 0) docker(['rm', '-f', '-v', ...left])
}

function docker(args: string[]): string | undefined {
  const { status, stdout } = spawnSync('docker', args, { encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}
