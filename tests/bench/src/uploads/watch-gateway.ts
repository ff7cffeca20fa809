export type GatewayWatch = {
  stop(): Promise<{ eventLoopP99Ms: number[]; eventLoopMaxMs: number; memoryBytes: number[]; largeBodyBytes: number }>
}

// The metric is the time between two looks at the clock that are 10 ms apart when nothing is in the way: the delay is what goes beyond.
const LOOKS_APART_MS = 10

/** Reads a gateway's metrics every second: its event-loop delay is counted from one reading to the next. */
export function watchGateway(metricsUrl: URL): GatewayWatch {
  const eventLoopP99Ms: number[] = []
  const memoryBytes: number[] = []
  let eventLoopMaxMs = 0
  let largeBodyBytes = 0
  let reading = Promise.resolve()
  const read = async (isFirst = false) => {
    const text = await (await fetch(metricsUrl)).text()
    const value = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    memoryBytes.push(value('process_resident_memory_bytes'))
    largeBodyBytes = Math.max(largeBodyBytes, value('turnpike_large_body_bytes') || 0)
    if (isFirst) return
    eventLoopP99Ms.push(value('nodejs_eventloop_lag_p99_seconds') * 1_000 - LOOKS_APART_MS)
    eventLoopMaxMs = Math.max(eventLoopMaxMs, value('nodejs_eventloop_lag_max_seconds') * 1_000 - LOOKS_APART_MS)
  }
  reading = read(true)
  const timer = setInterval(() => {
    reading = reading.then(() => read())
  }, 1_000)
  return {
    async stop() {
      clearInterval(timer)
      await reading
      await read()
      return { eventLoopP99Ms, eventLoopMaxMs, memoryBytes, largeBodyBytes }
    },
  }
}
