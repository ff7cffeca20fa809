const WINDOW_MS = 60_000
// Some 20 MB. A full table forgets who asked longest ago: whoever commands that many networks gains a fresh count for one of them, and
// nobody else is refused for it.
const MAX_CLIENTS = 100_000

/** Whole seconds until this client may ask again, or undefined when it may now. Every call counts. */
export type ClientRateLimit = (client: string) => number | undefined

/** Bounds what one client may ask of one replica in a minute, paid or not: an unpaid request costs its sender nothing. */
export function openClientRateLimit(options: { perMinute: number; now: () => number; maxClients?: number }): ClientRateLimit {
  const { perMinute, now, maxClients = MAX_CLIENTS } = options
  const asked = new Map<string, number>()
  let endsAt = 0
  return (client) => {
    const at = now()
    if (at >= endsAt) {
      asked.clear()
      endsAt = at + WINDOW_MS
    }
    const count = (asked.get(client) ?? 0) + 1
    // To the end of the map, whose start is who asked longest ago.
    asked.delete(client)
    const oldest = asked.size < maxClients ? undefined : asked.keys().next().value
    if (oldest !== undefined) asked.delete(oldest)
    asked.set(client, count)
    return count <= perMinute ? undefined : Math.max(1, Math.ceil((endsAt - at) / 1000))
  }
}

/**
 * Who a request is counted for: an address, an IPv6 one by its /56, which is what one customer of a network gets. Behind proxies of
 * ours the address is theirs to say: each adds the one it saw to X-Forwarded-For, and what stands before those was said by anybody.
 */
export function clientOf(socketAddress: string, forwardedFor: string | undefined, trustedProxies: number): string {
  if (trustedProxies === 0 || forwardedFor === undefined) return networkOf(socketAddress)
  const hops = [...forwardedFor.split(',').map((hop) => hop.trim()), socketAddress]
  return networkOf(hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? socketAddress)
}

function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [left = '', right] = address.split('::')
  const before = left === '' ? [] : left.split(':')
  const after = right === undefined || right === '' ? [] : right.split(':')
  const zeros = right === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const [first, second, third, fourth] = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
  return `${[first, second, third].map((group) => group?.toString(16)).join(':')}:${((fourth ?? 0) & 0xff00).toString(16)}::/56`
}
