import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Credentials, newAuthority, operator, startPart } from '@turnpike/local'
import { Redis } from 'ioredis'

export type TestCluster = {
  /** Of every node. */
  urls: string[]
  ca: string
  passwords: Readonly<Record<string, string>>
  /** Connections of the operator, one to each node. */
  nodes: Redis[]
  stopNode(index: number): Promise<void>
  startNode(index: number): Promise<void>
  remove(): Promise<void>
}

const NODES = 3
const SLOTS = 16_384

/** Three masters over TLS, with an account per service, that share the slots. */
export async function startTestCluster(): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-cluster-'))
  const authority = await newAuthority()
  const guard = await authority.issue('redis')
  const parts = [await startNodeIn(join(dir, '0'), guard)]
  for (let index = 1; index < NODES; index++) {
    await mkdir(join(dir, String(index)))
    // One set of accounts, as a cluster has.
    await cp(join(dir, '0', 'accounts.json'), join(dir, String(index), 'accounts.json'))
    parts.push(await startNodeIn(join(dir, String(index)), guard))
  }
  const passwords = parts[0]?.guarded?.passwords ?? {}
  const nodes = parts.map(({ port }) => operatorAt(port, guard.ca, passwords[operator as keyof typeof passwords] ?? ''))
  const share = Math.ceil(SLOTS / NODES)
  for (const [index, node] of nodes.entries()) {
    await node.cluster('ADDSLOTSRANGE', index * share, Math.min(SLOTS, (index + 1) * share) - 1)
    const { port, sidePort } = parts[(index + 1) % NODES] ?? parts[0] ?? { port: 0, sidePort: 0 }
    await node.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(sidePort))
  }
  return {
    urls: parts.map(({ port }) => `rediss://127.0.0.1:${port}`),
    ca: guard.ca,
    passwords,
    nodes,
    stopNode: async (index) => parts[index]?.stop(),
    async startNode(index) {
      const { port = 0, sidePort = 0 } = parts[index] ?? {}
      parts[index] = await startNodeIn(join(dir, String(index)), guard, { port, sidePort })
    },
    async remove() {
      for (const node of nodes) node.disconnect()
      await Promise.all(parts.map((part) => part.stop()))
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function startNodeIn(dir: string, guard: Credentials, ports: { port?: number; sidePort?: number } = {}) {
  return startPart('redis', { dir, guard, isClusterNode: true, ...ports })
}

function operatorAt(port: number, ca: string, password: string): Redis {
  return new Redis({ host: '127.0.0.1', port, username: operator, password, tls: { ca } }).on('error', () => {})
}
