import { type GuardedName, guardedNames } from '@turnpike/local'
import type { Cluster } from '../cluster.ts'
import type { Guarded } from '../guarded/wire-guards.ts'
import { RELEASE } from '../kube/kube.ts'
import { judgeHandshakes, type Spoken } from './handshakes.ts'
import { asPodOf } from './prober-pod.ts'
import type { Prober } from './reach.ts'
import type { Step } from './step.ts'

const ANSWER_MS = 5_000

/** Greetings of each protocol to which a server without TLS has an answer, as base64. */
const httpGreeting = base64('GET /healthz HTTP/1.1\r\nHost: turnpike\r\nConnection: close\r\n\r\n')
const GREETINGS: Record<GuardedName, string> = {
  // ApiVersions, version 0, of a client without a name.
  kafka: base64('\0\0\0\x0a\0\x12\0\0\0\0\0\x01\xff\xff'),
  // Protocol 3.0, user and database `postgres`.
  postgres: base64('\0\0\0\x29\0\x03\0\0user\0postgres\0database\0postgres\0\0'),
  redis: base64('PING\r\n'),
  s3: httpGreeting,
  ledger: httpGreeting,
  facilitator: httpGreeting,
}

/** Speaks to each target under every authority, then without TLS, and prints what came of it. Postgres is asked for TLS first. */
const SCRIPT = `
const { connect } = require('node:net')
const tls = require('node:tls')
const { once } = require('node:events')
const { targets, authorities } = JSON.parse(process.argv[1])
const opened = async (target) => {
  const socket = connect({ host: target.host, port: target.port })
  socket.setTimeout(${ANSWER_MS}, () => socket.destroy(new Error('timeout')))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
const handshake = async (target, ca) => {
  try {
    const socket = await opened(target)
    if (target.server === 'postgres') {
      socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
      const [answer] = await once(socket, 'data')
      if (String(answer) !== 'S') return 'NO_TLS'
    }
    const secure = tls.connect({ socket, ca, host: target.host, ...(target.isName ? { servername: target.host } : {}) })
    await once(secure, 'secureConnect')
    secure.destroy()
    return 'trusted'
  } catch (error) {
    return error.code ?? error.message
  }
}
const greeted = async (target) => {
  const socket = await opened(target)
  let said = ''
  socket.setEncoding('latin1').on('data', (text) => { said += text })
  socket.write(Buffer.from(target.greeting, 'base64'))
  socket.setTimeout(${ANSWER_MS}, () => socket.destroy())
  await new Promise((done) => socket.once('close', done))
  return said
}
const spoken = async (target) => {
  const under = {}
  for (const [name, ca] of Object.entries(authorities)) under[name] = await handshake(target, ca)
  return { server: target.server, under, plain: await greeted(target) }
}
Promise.all(targets.map(spoken)).then((all) => console.log(JSON.stringify(all)))
`

/**
 * From inside the cluster, where pods reach them: every server shows a certificate for the address or name that the chart's values give its
 * clients, signed by its own wire's authority, and none answers without TLS.
 */
export const guardedWires: Step = {
  name: 'guarded wires',
  repeats: 'none',
  async run(cluster) {
    const { guarded } = cluster.beside
    if (guarded === undefined) throw new Error('this installation is not guarded')
    // Two of those that may reach all of them together.
    const spoken = [
      ...(await speakAs('ledger', cluster, guarded, ['kafka', 'postgres', 'redis', 's3', 'facilitator'])),
      ...(await speakAs('gateway', cluster, guarded, ['ledger'])),
    ]
    const { trusted, distrusted, differences } = judgeHandshakes(spoken)
    if (differences.length > 0) throw new Error(differences.join('; '))
    return { trusted, distrusted, withoutTls: 'none answers' }
  },
}

async function speakAs(
  prober: Prober,
  cluster: Cluster,
  { guards }: Guarded,
  servers: readonly GuardedName[],
): Promise<Spoken[]> {
  const authorities = Object.fromEntries(guardedNames.map((name) => [name, guards[name].ca]))
  const targets = servers.map((server) => ({ server, greeting: GREETINGS[server], ...placeOf(cluster, server) }))
  return await asPodOf(cluster, prober, async (run) => JSON.parse(await run(SCRIPT, { targets, authorities })) as Spoken[])
}

/** As the chart writes it into the environment of those who call it. */
function placeOf({ beside, options }: Cluster, server: GuardedName): { host: string; port: number; isName: boolean } {
  if (server === 'ledger') return { host: `${RELEASE}-ledger`, port: 9402, isName: true }
  if (server === 'facilitator') return { host: `${RELEASE}-facilitator`, port: 80, isName: true }
  return { host: options.besideHost, port: beside.ports[server][0] ?? 0, isName: false }
}

function base64(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('base64')
}
