import type { Consumer, EachBatchPayload } from 'kafkajs'
import { backoffMs } from './backoff.ts'
import { type KafkaConnection, kafkaClient, retryOptions, unboundedRetries } from './connection.ts'
import { pause } from './pause.ts'
import type { TopicPartition } from './topic-partition.ts'

export type GroupMemberOptions = KafkaConnection & {
  groupId: string
  topics: readonly string[]
  maxBytesPerPartition: number
  maxWaitTimeMs: number
  sessionTimeoutMs: number
  rebalanceTimeoutMs: number
  heartbeatIntervalMs: number
  /** Silence from the group after which the kafkajs consumer is given up for a fresh one. */
  stuckAfterMs: number
}

export type GroupMemberEvents = {
  /** The partitions of this process from now on; fetching starts at what the group has committed. */
  assigned(partitions: TopicPartition[]): void
  /** The group is about to be reshuffled. What is committed now still counts. */
  rebalancing(): void
  /** Not in the group any more; `assigned` follows when it is again. */
  lost(): void
  /** Says whether it took the batch; if not, the same comes again. */
  delivered(batch: EachBatchPayload['batch']): boolean
}

export type CommitOffset = TopicPartition & { offset: bigint }

export type GroupMember = {
  joined(): boolean
  lastContactAt(): number
  lastError(): unknown
  setPaused(partition: TopicPartition, paused: boolean): void
  /**
   * One try under the membership of this moment. Call it at the start of a turn of the event loop (a timer, not a promise's
   * continuation): only then can nothing of a rejoin lie between what the caller checked and what kafkajs uses.
   */
  commit(offsets: CommitOffset[]): Promise<void>
  leave(timeoutMs: number): Promise<void>
}

/**
 * Keeps one kafkajs consumer in the group. A consumer that crashed or got stuck is replaced by a fresh one: one way back for
 * every fault, instead of kafkajs's restart for some of them.
 */
export function joinGroup(options: GroupMemberOptions, events: GroupMemberEvents): GroupMember {
  const { logger, groupId } = options
  const leaving = new AbortController()
  let current: Membership | undefined
  let lastContactAt = performance.now()
  let lastError: unknown
  let replacing: Promise<void> = Promise.resolve()

  async function enter(): Promise<void> {
    for (let failures = 1; !leaving.signal.aborted; failures += 1) {
      const membership = createMembership(options, {
        ...events,
        contact: () => {
          lastContactAt = performance.now()
        },
        broken: (error) => replace(membership, error),
      })
      current = membership
      lastContactAt = performance.now()
      try {
        await membership.start()
        return
      } catch (error) {
        // Somebody else (the watchdog) replaced it meanwhile.
        if (current !== membership) return
        lastError = error
        logger.warn({ err: error, groupId, failures }, 'the consumer could not start, trying again')
        await membership.dispose()
        await pause(backoffMs(failures, { initialMs: 100, maxMs: 1_000 }), leaving.signal)
      }
    }
  }

  function replace(broken: Membership, error: unknown): void {
    if (current !== broken || leaving.signal.aborted) return
    lastError = error
    logger.warn({ err: error, groupId }, 'the consumer is replaced by a fresh one')
    current = undefined
    events.lost()
    // One after the other: two members of one process would share its partitions.
    replacing = broken
      .dispose()
      .then(() => pause(backoffMs(1, { initialMs: 100, maxMs: 1_000 }), leaving.signal))
      .then(enter)
  }

  const watchdog = setInterval(() => {
    const silentMs = performance.now() - lastContactAt
    if (current && silentMs > options.stuckAfterMs) replace(current, new Error(`no contact with the group for ${silentMs} ms`))
  }, 1_000)
  watchdog.unref()
  replacing = enter()

  return {
    joined: () => current?.joined() ?? false,
    lastContactAt: () => lastContactAt,
    lastError: () => lastError,
    setPaused: (partition, paused) => current?.setPaused(partition, paused),
    async commit(offsets) {
      if (!current) throw new Error('not in the group')
      await current.commit(offsets)
    },
    async leave(timeoutMs) {
      leaving.abort()
      clearInterval(watchdog)
      const left = current
      current = undefined
      const expiry = new AbortController()
      await Promise.race([Promise.all([left?.dispose(), replacing]), pause(timeoutMs, expiry.signal)])
      expiry.abort()
    },
  }
}

type Membership = {
  start(): Promise<void>
  joined(): boolean
  setPaused(partition: TopicPartition, paused: boolean): void
  commit(offsets: CommitOffset[]): Promise<void>
  /** Leaves the group if it can; never rejects. */
  dispose(): Promise<void>
}

type MembershipEvents = GroupMemberEvents & { contact(): void; broken(error: unknown): void }

function createMembership(options: GroupMemberOptions, events: MembershipEvents): Membership {
  const { logger, groupId } = options
  const consumer = createConsumer(options)
  let disposed = false
  let joined = false
  let rejoinAnnounced = true
  let commitOnce: EachBatchPayload['commitOffsetsIfNecessary'] | undefined

  consumer.on(consumer.events.HEARTBEAT, () => events.contact())
  consumer.on(consumer.events.REBALANCING, () => {
    if (disposed) return
    rejoinAnnounced = true
    events.rebalancing()
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (disposed) return
    events.contact()
    // kafkajs joins again from within a fetch when its metadata is stale. Fetches to other brokers are still under way then,
    // and their batches would count as the start of the new assignment: what lies before them would be skipped.
    if (!rejoinAnnounced) return events.broken(new Error('joined again in the middle of fetching'))
    rejoinAnnounced = false
    joined = true
    const partitions = Object.entries(payload.memberAssignment).flatMap(([topic, numbers]) =>
      numbers.map((partition) => ({ topic, partition })),
    )
    logger.info({ groupId, partitions: partitions.length, durationMs: payload.duration }, 'joined the consumer group')
    events.assigned(partitions)
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!disposed) events.broken(payload.error)
  })

  return {
    async start() {
      await consumer.connect()
      await consumer.subscribe({ topics: [...options.topics], fromBeginning: true })
      // Connected after it was given up: nobody else would close it.
      if (disposed) return void (await consumer.disconnect())
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, resolveOffset, commitOffsetsIfNecessary }) => {
          if (disposed) return
          commitOnce = commitOffsetsIfNecessary
          // What is resolved is not fetched again: a batch that nobody took would be skipped by a later commit.
          if (events.delivered(batch)) resolveOffset(batch.lastOffset())
        },
      })
    },
    joined: () => joined && !disposed,
    setPaused({ topic, partition }, paused) {
      if (!joined || disposed) return
      const change = paused ? consumer.pause : consumer.resume
      change([{ topic, partitions: [partition] }])
    },
    async commit(offsets) {
      if (!commitOnce || disposed) throw new Error('not in the group')
      // Not consumer.commitOffsets: its retry goes on under the next membership, for partitions that are somebody else's by then.
      const topics = Map.groupBy(offsets, ({ topic }) => topic)
      await commitOnce({
        topics: [...topics].map(([topic, partitions]) => ({
          topic,
          partitions: partitions.map(({ partition, offset }) => ({ partition, offset: offset.toString() })),
        })),
      })
    },
    async dispose() {
      disposed = true
      await consumer.disconnect().catch((error: unknown) => {
        logger.debug({ err: error, groupId }, 'a discarded consumer did not disconnect cleanly')
      })
    },
  }
}

function createConsumer(options: GroupMemberOptions): Consumer {
  // A client of its own: kafkajs keeps committed offsets per client, and a fresh consumer has to ask the group for them.
  const client = kafkaClient(options, { retries: unboundedRetries, requestTimeoutMs: 10_000 })
  return client.consumer({
    groupId: options.groupId,
    allowAutoTopicCreation: false,
    maxBytesPerPartition: options.maxBytesPerPartition,
    maxWaitTimeInMs: options.maxWaitTimeMs,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatIntervalMs,
    retry: { ...retryOptions(unboundedRetries), restartOnFailure: async () => false },
  })
}
