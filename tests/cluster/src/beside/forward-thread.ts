// A thread of its own: what the tests compute must not look to the installation like a dependency that is slow.
import { parentPort, workerData } from 'node:worker_threads'
import { forwardTcp } from './tcp-forward.ts'

const { host, ports } = workerData as { host: string; ports: readonly number[] }
for (const port of ports) await forwardTcp(host, port)
parentPort?.postMessage('ready')
