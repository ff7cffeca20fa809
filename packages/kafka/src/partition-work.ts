import type { ConsumedMessage } from './consumed-message.ts'
import { createOffsetWindow, type OffsetWindow } from './offset-window.ts'
import type { TopicPartition } from './topic-partition.ts'

/** One message on its way through this process. */
export type Work = {
  readonly partition: PartitionWork
  readonly offset: bigint
  readonly identity: string
  readonly deliveredAtMs: number
  phase: 'queued' | 'running' | 'waiting' | 'done'
  /** Let go when done: what is kept until the commit is a few bytes. */
  message: ConsumedMessage | undefined
  attempt: number
  failures: number
  poison: { reason: string; reported: boolean } | undefined
}

export type PartitionWork = {
  readonly topicPartition: TopicPartition
  assigned(): boolean
  /** From here on offsets start at what the group has committed. */
  assign(): void
  revoke(): void
  /** `end` is one above the last offset of the batch, whatever of it is a message. */
  deliver(messages: ConsumedMessage[], end: bigint, highWatermark: bigint): void
  nextQueued(): Work | undefined
  hasQueued(): boolean
  /** Of the present assignment: its offset can still be committed by this process. */
  isCurrent(work: Work): boolean
  finish(work: Work): void
  /** Forgets a message that is not done; the group will deliver it again, here or elsewhere. */
  drop(work: Work): void
  dropQueued(): void
  /** Messages whose contents are in memory: queued, running, or waiting to be tried again. */
  held(): number
  uncommitted(): number
  committable(): { offset: bigint; committed(): void } | undefined
  oldestUnfinishedMs(nowMs: number): number
  lag(): number
}

/**
 * What this process knows about one partition. It outlives assignments: kafkajs rebalances stop the world and start again at
 * the committed offset, so without this memory every message that is running, or done above the watermark, would run twice.
 */
export function createPartitionWork(topicPartition: TopicPartition): PartitionWork {
  const works = new Map<bigint, Work>()
  let queue: Work[] = []
  let window: OffsetWindow | undefined
  let committedOffset: bigint | undefined
  let highWatermark = 0n
  let held = 0

  function drop(work: Work): void {
    if (work.phase === 'done' || works.get(work.offset) !== work) return
    works.delete(work.offset)
    held -= 1
  }

  function dropQueued(): void {
    for (const work of queue) drop(work)
    queue = []
  }

  function forgetDoneBelow(offset: bigint): void {
    for (const work of works.values()) {
      if (work.offset < offset && work.phase === 'done') works.delete(work.offset)
    }
  }

  function startWindow(): OffsetWindow {
    dropQueued()
    committedOffset = undefined
    window = createOffsetWindow()
    return window
  }

  function admit(message: ConsumedMessage, identity: string): void {
    const work: Work = {
      partition,
      offset: message.offset,
      identity,
      deliveredAtMs: performance.now(),
      phase: 'queued',
      message,
      attempt: 0,
      failures: 0,
      poison: undefined,
    }
    works.set(work.offset, work)
    queue.push(work)
    held += 1
  }

  /** The one that is at this offset already; a topic that was deleted and created again has another message there. */
  function known(offset: bigint, identity: string): Work | undefined {
    const work = works.get(offset)
    if (work?.identity === identity) return work
    if (work && work.phase !== 'done') held -= 1
    works.delete(offset)
    return undefined
  }

  const partition: PartitionWork = {
    topicPartition,
    assigned: () => window !== undefined,
    assign() {
      startWindow()
    },
    revoke() {
      dropQueued()
      window = undefined
    },
    deliver(messages, end, newHighWatermark) {
      if (!window) return
      highWatermark = newHighWatermark
      const first = messages[0]
      // A step back: the log begins anew (topic created again, or reset after its start was deleted).
      if (first && first.offset < (window.end() ?? 0n)) startWindow()
      if (first && window.end() === undefined) {
        // Where fetching starts is what the group has.
        committedOffset = first.offset
        forgetDoneBelow(first.offset)
      }
      for (const message of messages) {
        const identity = identityOf(message)
        const earlier = known(message.offset, identity)
        if (!earlier) admit(message, identity)
        window.add(message.offset)
        if (earlier?.phase === 'done') window.finish(message.offset)
      }
      window.deliveredBelow(end)
    },
    nextQueued() {
      for (let work = queue.shift(); work; work = queue.shift()) if (works.get(work.offset) === work) return work
      return undefined
    },
    hasQueued: () => queue.length > 0,
    isCurrent: (work) => works.get(work.offset) === work && window?.has(work.offset) === true,
    finish(work) {
      // Its place was taken by another log's message.
      if (works.get(work.offset) !== work) return
      work.phase = 'done'
      work.message = undefined
      held -= 1
      const watermark = window?.watermark()
      if (watermark !== undefined && work.offset < watermark) works.delete(work.offset)
      window?.finish(work.offset)
    },
    drop,
    dropQueued,
    held: () => held,
    uncommitted: () => window?.size() ?? 0,
    committable() {
      const offset = window?.watermark()
      if (offset === undefined || offset === committedOffset) return undefined
      const committedWindow = window
      return {
        offset,
        committed() {
          if (window !== committedWindow) return
          committedOffset = offset
          forgetDoneBelow(offset)
        },
      }
    },
    oldestUnfinishedMs(nowMs) {
      const oldest = works.get(window?.oldestUnfinished() ?? -1n)
      return oldest && oldest.phase !== 'done' ? nowMs - oldest.deliveredAtMs : 0
    },
    lag() {
      const watermark = window?.watermark()
      return watermark === undefined ? 0 : Number(highWatermark - watermark)
    },
  }
  return partition
}

function identityOf({ timestampMs, key, value }: ConsumedMessage): string {
  return `${timestampMs}:${value.byteLength}:${key ?? ''}`
}
