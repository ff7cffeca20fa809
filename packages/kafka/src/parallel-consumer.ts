import { setImmediate as nextTurn } from 'node:timers/promises'
import { inSpan, type SpanOptions } from '@turnpike/telemetry/tracing'
import { backoffMs } from './backoff.ts'
import type { BrokerState } from './broker-probe.ts'
import { type ConsumedMessage, consumedMessage } from './consumed-message.ts'
import { publishDeadLetter } from './dead-letter.ts'
import { type GroupMemberOptions, joinGroup } from './group-member.ts'
import { traceparentHeader } from './headers.ts'
import { createPartitionWork, type PartitionWork, type Work } from './partition-work.ts'
import { pause } from './pause.ts'
import { PoisonMessage } from './poison-message.ts'
import type { Publisher } from './publisher.ts'
import { partitionName, type TopicPartition } from './topic-partition.ts'
import { createWorkPool } from './work-pool.ts'

export type MessageHandler = (message: ConsumedMessage, context: { signal: AbortSignal; attempt: number }) => Promise<void>

export type ParallelConsumerOptions = Pick<GroupMemberOptions, 'groupId' | 'topics'> &
  Partial<GroupMemberOptions> &
  Pick<GroupMemberOptions, 'brokers' | 'clientId' | 'logger'> & {
    /** How many handlers run at once, over all partitions. */
    concurrency: number
    /** Done when it resolves. A PoisonMessage goes to `<topic>.dead`; anything else thrown is tried again. */
    handler: MessageHandler
    deadLetter: {
      publisher: Pick<Publisher, 'publish'>
      /** Awaited, and tried again until it resolves, before the message is published to its dead-letter topic. */
      onDeadLetter?: (message: ConsumedMessage, reason: string) => Promise<void>
    }
    retry?: { initialMs?: number; maxMs?: number /** Unbounded when absent. */; maxAttempts?: number }
    /** A slow message holds back the commit, never the work, up to this many that a crash would deliver again. */
    maxUncommittedPerPartition?: number
    commitIntervalMs?: number
    /** How long opening waits to be in the group for the first time. */
    startTimeoutMs?: number
  }

export type ConsumerStats = {
  inFlight: number
  /** Messages in memory: in flight, fetched ahead, or waiting to be tried again. */
  held: number
  finished: number
  retried: number
  deadLettered: number
  /** By `topic/partition`. Lag is what the last fetch knew of. */
  partitions: Record<string, { oldestUnfinishedMs: number; uncommitted: number; lag: number }>
}

export type ParallelConsumer = {
  /** Up while the group answers this consumer's heartbeats. */
  state(): BrokerState
  stats(): ConsumerStats
  /** Starts nothing more, lets what runs finish for `graceMs`, then aborts the rest, commits what is done and leaves the group. */
  drain(graceMs: number): Promise<{ abandoned: number }>
}

const groupDefaults = {
  maxBytesPerPartition: 256 * 1024,
  maxWaitTimeMs: 150,
  sessionTimeoutMs: 6_000,
  rebalanceTimeoutMs: 3_000,
  heartbeatIntervalMs: 500,
  stuckAfterMs: 60_000,
}

export async function openParallelConsumer(options: ParallelConsumerOptions): Promise<ParallelConsumer> {
  const { logger, groupId, concurrency, handler, deadLetter } = options
  const retry = { initialMs: 100, maxMs: 10_000, maxAttempts: Number.POSITIVE_INFINITY, ...options.retry }
  const maxUncommitted = options.maxUncommittedPerPartition ?? 10_000
  const settings: GroupMemberOptions = { ...groupDefaults, ...options }
  const partitions = new Map<string, PartitionWork>()
  const pausedNames = new Set<string>()
  const totals = { finished: 0, retried: 0, deadLettered: 0 }
  let draining = false
  let overloaded = false
  let announceJoined: () => void = () => {}
  const firstJoin = new Promise<void>((resolve) => {
    announceJoined = resolve
  })

  /** Its parent is who published it: what runs here at this moment is another message's. */
  function spanOf({ topic, partition, offset, headers }: ConsumedMessage, attempt: number): SpanOptions {
    return {
      kind: 'consumer',
      from: headers[traceparentHeader],
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': topic,
        'messaging.destination.partition.id': String(partition),
        'messaging.consumer.group.name': groupId,
        'messaging.kafka.offset': Number(offset),
        'turnpike.attempt': attempt,
      },
    }
  }

  const pool = createWorkPool({
    concurrency,
    partitions: () => partitions.values(),
    perform,
    retryDelayMs: ({ failures }) => backoffMs(failures, retry),
    finished() {
      totals.finished += 1
      scheduleCommit()
    },
    failed({ partition, offset, attempt }, error) {
      totals.retried += 1
      logger.warn({ err: error, ...partition.topicPartition, offset: String(offset), attempt }, 'a message failed, trying again')
    },
    changed: applyPauses,
  })

  async function perform(work: Work, signal: AbortSignal): Promise<void> {
    const { message } = work
    if (!message) return
    if (!work.poison) {
      try {
        return await inSpan(`process ${message.topic}`, spanOf(message, work.attempt), () =>
          handler(message, { signal, attempt: work.attempt }),
        )
      } catch (error) {
        if (error instanceof PoisonMessage) work.poison = { reason: error.reason, reported: false }
        else if (work.attempt >= retry.maxAttempts) work.poison = { reason: 'retries_exhausted', reported: false }
        else throw error
        const { topic, partition, offset } = message
        const { reason } = work.poison
        logger.error({ err: error, topic, partition, offset: String(offset), reason }, 'a message goes to the dead letters')
      }
    }
    if (!work.poison.reported) await deadLetter.onDeadLetter?.(message, work.poison.reason)
    work.poison.reported = true
    await publishDeadLetter(deadLetter.publisher, message, work.poison.reason)
    totals.deadLettered += 1
  }

  /**
   * Fetching stops at twice the concurrency and goes on at one and a half: enough in stock to hide the long poll that a resumed
   * partition waits for, and not a thousand payloads in memory. A fetch is delivered whole, so the stock can pass that once by
   * `maxBytesPerPartition`; what runs cannot pass `concurrency`.
   */
  function applyPauses(): void {
    const held = [...partitions.values()].reduce((sum, partition) => sum + partition.held(), 0)
    overloaded = held >= 2 * concurrency || (overloaded && held > 1.5 * concurrency)
    for (const [name, partition] of partitions) {
      if (!partition.assigned()) continue
      const wanted = draining || overloaded || partition.uncommitted() >= maxUncommitted
      if (wanted === pausedNames.has(name)) continue
      member.setPaused(partition.topicPartition, wanted)
      if (wanted) pausedNames.add(name)
      else pausedNames.delete(name)
    }
  }

  function assign(assigned: TopicPartition[]): void {
    const names = new Set(assigned.map(partitionName))
    for (const [name, partition] of partitions) if (!names.has(name)) partition.revoke()
    for (const topicPartition of assigned) {
      const name = partitionName(topicPartition)
      const partition = partitions.get(name) ?? createPartitionWork(topicPartition)
      partitions.set(name, partition)
      partition.assign()
      // kafkajs keeps pauses over assignments; a fresh consumer has none.
      member.setPaused(topicPartition, false)
      pausedNames.delete(name)
    }
    applyPauses()
    announceJoined()
  }

  let commitTimer: NodeJS.Timeout | undefined
  let committing: Promise<boolean> | undefined

  function scheduleCommit(): void {
    commitTimer ??= setTimeout(() => {
      commitTimer = undefined
      if (committing) scheduleCommit()
      else void commit()
    }, options.commitIntervalMs ?? 200)
  }

  function commit(): Promise<boolean> {
    const due = [...partitions.values()].flatMap((partition) => {
      const committable = partition.committable()
      return committable ? [{ ...partition.topicPartition, ...committable }] : []
    })
    if (due.length === 0) return Promise.resolve(true)
    committing = member
      .commit(due.map(({ topic, partition, offset }) => ({ topic, partition, offset })))
      .then(() => {
        for (const { committed } of due) committed()
        return true
      })
      .catch((error: unknown) => {
        logger.debug({ err: error, groupId }, 'offsets were not committed, trying again if the partitions stay')
        if (!draining) scheduleCommit()
        return false
      })
      .finally(() => {
        committing = undefined
      })
    return committing
  }

  async function commitFinally(givenUp: AbortSignal): Promise<void> {
    clearTimeout(commitTimer)
    await committing
    while (!givenUp.aborted) {
      await nextTurn()
      if (await commit()) return
      await pause(100, givenUp)
    }
    logger.warn({ groupId }, 'what was done last could not be committed and will be delivered again')
  }

  const member = joinGroup(settings, {
    assigned: assign,
    rebalancing: () => void commit(),
    lost() {
      for (const partition of partitions.values()) partition.revoke()
    },
    delivered(batch) {
      const topicPartition = { topic: batch.topic, partition: batch.partition }
      const partition = partitions.get(partitionName(topicPartition))
      if (!partition?.assigned() || draining) return false
      const messages = batch.messages.map((message) => consumedMessage(topicPartition, message))
      partition.deliver(messages, BigInt(batch.lastOffset()) + 1n, BigInt(batch.highWatermark))
      pool.fill()
      applyPauses()
      scheduleCommit()
      return true
    },
  })

  const consumer: ParallelConsumer = {
    state() {
      const fresh = performance.now() - member.lastContactAt() < settings.sessionTimeoutMs
      return member.joined() && fresh && !draining ? 'up' : 'down'
    },
    stats() {
      const nowMs = performance.now()
      const assigned = [...partitions].filter(([, partition]) => partition.assigned())
      return {
        inFlight: pool.running(),
        held: [...partitions.values()].reduce((sum, partition) => sum + partition.held(), 0),
        ...totals,
        partitions: Object.fromEntries(
          assigned.map(([name, partition]) => [
            name,
            {
              oldestUnfinishedMs: partition.oldestUnfinishedMs(nowMs),
              uncommitted: partition.uncommitted(),
              lag: partition.lag(),
            },
          ]),
        ),
      }
    },
    async drain(graceMs) {
      draining = true
      pool.stopStarting()
      for (const partition of partitions.values()) partition.dropQueued()
      applyPauses()
      const grace = new AbortController()
      await Promise.race([pool.idle(), pause(graceMs, grace.signal)])
      grace.abort()
      const abandoned = pool.abort()
      const givenUp = new AbortController()
      await Promise.race([commitFinally(givenUp.signal), pause(3_000, givenUp.signal)])
      givenUp.abort()
      await member.leave(5_000)
      if (abandoned > 0) logger.warn({ groupId, abandoned }, 'the grace period ended before the work did')
      return { abandoned }
    },
  }

  const startTimeoutMs = options.startTimeoutMs ?? 30_000
  const started = new AbortController()
  await Promise.race([firstJoin, pause(startTimeoutMs, started.signal)])
  started.abort()
  if (!member.joined()) {
    await consumer.drain(0)
    throw new Error(`group ${groupId} could not be joined within ${startTimeoutMs} ms`, { cause: member.lastError() })
  }
  return consumer
}
