import { Resolver } from 'node:dns/promises'

/** Of one query to one server; a name has two tries and two kinds of address. */
const QUERY_TIMEOUT_MS = 2_000

/**
 * All addresses of a name, from the name servers of this machine (a test has one of its own). None where there are none; rejects when stopped. Not `dns.lookup`: that reads the hosts file and search domains of this
 * machine, which are no business of a stranger, and waits in the thread pool that the rest of the process shares.
 */
export async function resolveName(hostname: string, signal: AbortSignal, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    signal.throwIfAborted()
    // Many names have addresses of one kind only: the other answer is an error then.
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    signal.throwIfAborted()
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
