/** Who may have work done in the few threads there are: each client some at once and some waiting, so that nobody has them all. */
export type ClientTurns = {
  /** Does the work when it is this client's turn; undefined, and nothing done, when too much of this client is waiting already. */
  take<Result>(client: string, work: () => Promise<Result>): Promise<Result> | undefined
}

type Client = { running: number; waiting: (() => void)[] }

export function openClientTurns({ maxAtOnce, maxWaiting }: { maxAtOnce: number; maxWaiting: number }): ClientTurns {
  // Holds only clients that have work here now, so their number is bounded by that of requests.
  const clients = new Map<string, Client>()

  async function run<Result>(name: string, client: Client, work: () => Promise<Result>): Promise<Result> {
    if (client.running >= maxAtOnce) await new Promise<void>((turn) => client.waiting.push(turn))
    else client.running++
    try {
      return await work()
    } finally {
      // The turn goes to the next one of this client, or back.
      const next = client.waiting.shift()
      if (next !== undefined) next()
      else if (--client.running === 0) clients.delete(name)
    }
  }

  return {
    take(name, work) {
      const client = clients.get(name) ?? { running: 0, waiting: [] }
      if (client.waiting.length >= maxWaiting) return undefined
      clients.set(name, client)
      return run(name, client, work)
    },
  }
}
