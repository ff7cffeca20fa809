import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Runs a module of this folder in a thread until it is closed; `ready` is the first thing that it says. Rejects when it fails before. */
export async function startThread<Ready>(module: string, data: unknown): Promise<{ ready: Ready; close(): Promise<void> }> {
  const worker = new Worker(new URL(module, import.meta.url), { workerData: data })
  // `once` rejects on the event `error`.
  const [ready] = (await once(worker, 'message')) as [Ready]
  return {
    ready,
    async close() {
      await worker.terminate()
    },
  }
}
