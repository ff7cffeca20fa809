import type { Principal } from './principals.ts'

type Action = 'GetObject' | 'PutObject' | 'DeleteObject'
export type S3Right = {
  objects: readonly { prefixes: readonly string[]; actions: readonly Action[] }[]
}

const REQUESTS = 'requests/'
const RESULTS = 'results/'
const STAGING = 'staging/'
const IMAGES = 'media/image/'
const SPEECH = 'media/speech/'

// A request that was too large for an event goes when its job has ended; a result is written once.
const WORKER: S3Right = {
  objects: [
    { prefixes: [REQUESTS], actions: ['GetObject', 'DeleteObject'] },
    { prefixes: [RESULTS], actions: ['PutObject'] },
  ],
}

/** What each principal may do with the bucket, all else being denied. */
export const S3_RIGHTS: Readonly<Partial<Record<Principal, S3Right>>> = {
  gateway: {
    objects: [
      { prefixes: [REQUESTS], actions: ['PutObject'] },
      { prefixes: [STAGING], actions: ['PutObject', 'DeleteObject'] },
      { prefixes: [RESULTS, IMAGES, SPEECH], actions: ['GetObject'] },
    ],
  },
  'text-worker': WORKER,
  'media-worker': { ...WORKER, objects: [...WORKER.objects, { prefixes: [IMAGES, SPEECH], actions: ['PutObject'] }] },
  'transcription-worker': {
    ...WORKER,
    objects: [...WORKER.objects, { prefixes: [STAGING], actions: ['GetObject', 'DeleteObject'] }],
  },
  ledger: {
    objects: [
      // Deleted by the sweep, where the store has no lifecycle rules, and at the end of a result.
      { prefixes: [REQUESTS, RESULTS, STAGING, IMAGES, SPEECH], actions: ['DeleteObject'] },
      // A signed payment that did not fit into its row.
      { prefixes: [REQUESTS, RESULTS], actions: ['GetObject'] },
    ],
  },
  auditor: { objects: [{ prefixes: [RESULTS], actions: ['GetObject'] }] },
}

export type Statement = {
  Sid: string
  Effect: 'Allow'
  Principal?: { AWS: readonly string[] }
  Action: readonly string[]
  Resource: readonly string[]
}
export type Policy = { Version: '2012-10-17'; Statement: readonly Statement[] }

/** For a role of the service's own (IAM): what it may do, nothing about who it is. */
export function identityPolicy(bucket: string, right: S3Right, sid = 'Turnpike'): Policy {
  return { Version: '2012-10-17', Statement: statements(bucket, right, sid) }
}

/** For the bucket: one policy with every principal, by the name that the store knows it under. */
export function bucketPolicy(bucket: string, nameOf: (principal: Principal) => string): Policy {
  const each = Object.entries(S3_RIGHTS) as [Principal, S3Right][]
  return {
    Version: '2012-10-17',
    Statement: each.flatMap(([principal, right]) =>
      statements(bucket, right, sidOf(principal)).map((statement) => ({
        ...statement,
        Principal: { AWS: [nameOf(principal)] },
      })),
    ),
  }
}

function statements(bucket: string, { objects }: S3Right, sid: string): Statement[] {
  const arn = `arn:aws:s3:::${bucket}`
  return [
    // HeadBucket is ListBucket to S3. Names of objects are random and say nothing.
    { Sid: `${sid}Bucket`, Effect: 'Allow', Action: ['s3:ListBucket'], Resource: [arn] },
    ...objects.map(({ prefixes, actions }, index) => ({
      Sid: `${sid}Objects${index + 1}`,
      Effect: 'Allow' as const,
      Action: actions.map((action) => `s3:${action}`),
      Resource: prefixes.map((prefix) => `${arn}/${prefix}*`),
    })),
  ]
}

/** Policies take letters and digits only. */
function sidOf(principal: Principal): string {
  return principal.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
