import { type Cluster, podsOf } from '../cluster.ts'
import { COMPONENTS } from '../install/values.ts'

const REFUSED = /NOPERM|WRONGPASS|AUTHORIZATION_FAILED|not authorized|AccessDenied|InvalidAccessKeyId/i
const SHOWN = 3
const LINE = 300

/** Of the pods that run now: every line in which a service says that Kafka, Redis or the store refused it something. */
export async function rightsRefused(cluster: Pick<Cluster, 'kube'>): Promise<string[]> {
  const pods = (await Promise.all(COMPONENTS.map((component) => podsOf(cluster, component)))).flat()
  const found: string[] = []
  for (const { metadata } of pods) {
    const { status, stdout, stderr } = await cluster.kube.tryKubectl(['logs', metadata.name])
    if (status === 0) found.push(...refusalsIn(metadata.name, stdout))
    else found.push(`the log of ${metadata.name} could not be read: ${stderr.slice(0, LINE)}`)
  }
  return found
}

/** The first of them, and how many there are. */
export function refusalsIn(pod: string, log: string): string[] {
  const lines = log.split('\n').filter((line) => REFUSED.test(line))
  const shown = lines.slice(0, SHOWN).map((line) => `${pod} was refused a right: ${line.slice(0, LINE)}`)
  return lines.length > SHOWN ? [...shown, `${pod}: ${lines.length - SHOWN} lines more like these`] : shown
}
