import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, toolLog } from './cache.ts'
import { obtainJava } from './java.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

export interface KafkaSoftware {
  readonly java: string
  /** Where the jars are. */
  readonly jars: string
  readonly loggingConfig: string
}

const sources = join(import.meta.dirname, '..', '..', 'kafka')

export async function obtainKafka(deps: ToolDeps): Promise<KafkaSoftware> {
  const pom = readFileSync(join(sources, 'pom.xml'))
  const version = createHash('sha256').update(pom).digest('hex').slice(0, 12)
  // One after the other: both may need apt-get, and Maven needs Java.
  const java = await obtainJava(deps)
  const jars = await cached(deps, `kafka-${version}`, async (folder) => {
    await obtainMaven(deps)
    copyFileSync(join(sources, 'pom.xml'), join(folder, 'pom.xml'))
    await runTool(deps, {
      doing: 'fetching the Kafka jars through Maven',
      program: 'mvn',
      args: [
        '-q',
        '-B',
        '-ntp',
        '-f',
        join(folder, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${folder}`,
        '-DincludeScope=runtime',
      ],
      cwd: folder,
      env: process.env.JAVA_HOME === undefined && findProgram('java') === undefined ? { JAVA_HOME: dirname(dirname(java)) } : {},
      logFile: toolLog('maven'),
    })
    rmSync(join(folder, 'pom.xml'))
  })
  return { java, jars, loggingConfig: join(sources, 'log4j2.properties') }
}

async function obtainMaven(deps: ToolDeps): Promise<void> {
  if (findProgram('mvn') !== undefined) return
  if (canInstallDebianPackages()) {
    await installDebianPackages(deps, ['maven'])
    return
  }
  throw new StackFailure(
    'Kafka is fetched through Maven, once: install it (on Debian: apt-get install maven), or set KAFKA_BROKERS to use a Kafka of your own.',
  )
}
