const SLOW_CALL_MS = 20

export type Gathering<Item> = {
  add(item: Item): void
  /** How many no call has taken along yet. */
  waiting(): number
}

/**
 * Items that travel together, because a call costs far more than an item in it. One alone goes at the end of the turn of the event loop.
 * Those that come while a call is under way wait until it is back, unless it is slow or they are worth a call: these go at once, so that
 * whoever is called works while this process reads what else has arrived.
 *
 * `call` answers every item that it is given, whatever happens, and never rejects.
 */
export function gather<Item>(options: {
  worthACall: number
  /** In one call, where more than that have gathered. */
  maxInACall: number
  /** None by default. */
  maxCallsUnderWay?: number
  call: (items: Item[]) => Promise<void>
}): Gathering<Item> {
  const { worthACall, maxInACall, maxCallsUnderWay = Number.POSITIVE_INFINITY, call } = options
  const waiting: Item[] = []
  let underWay = 0
  let isDueThisTurn = false
  let overdue: NodeJS.Timeout | undefined

  function schedule(): void {
    if (waiting.length === 0 || underWay >= maxCallsUnderWay) return
    if (waiting.length >= worthACall) return sendWaiting()
    if (underWay > 0) {
      overdue ??= setTimeout(sendWaiting, SLOW_CALL_MS)
    } else if (!isDueThisTurn) {
      isDueThisTurn = true
      setImmediate(() => {
        isDueThisTurn = false
        if (underWay === 0) sendWaiting()
        else schedule()
      })
    }
  }

  function sendWaiting(): void {
    clearTimeout(overdue)
    overdue = undefined
    if (waiting.length > 0 && underWay < maxCallsUnderWay) void send(waiting.splice(0, maxInACall))
    schedule()
  }

  async function send(items: Item[]): Promise<void> {
    underWay++
    try {
      await call(items)
    } finally {
      underWay--
      schedule()
    }
  }

  return {
    add(item) {
      waiting.push(item)
      schedule()
    },
    waiting: () => waiting.length,
  }
}
