import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3'

/**
 * Requests and staged audio are needed for minutes, results for the seven days after their settlement. Hosted images are promised for seven days and speech
 * for one: stores count from the midnight after an object was stored, and the day more keeps a clock that is wrong from breaking a promise.
 */
const rules = [
  { ID: 'turnpike-requests', prefix: 'requests/', days: 1 },
  { ID: 'turnpike-staging', prefix: 'staging/', days: 1 },
  { ID: 'turnpike-results', prefix: 'results/', days: 9 },
  { ID: 'turnpike-media-images', prefix: 'media/image/', days: 8 },
  { ID: 'turnpike-media-speech', prefix: 'media/speech/', days: 2 },
]

/**
 * Lets the store itself delete what nobody else deleted; rules of yours stay as they are. False where it cannot or may not: the ledger's
 * sweep does it then.
 */
export async function setLifecycle(client: S3Client, bucket: string): Promise<boolean> {
  try {
    const ours: LifecycleRule[] = rules.map(({ ID, prefix, days }) => ({
      ID,
      Status: 'Enabled',
      Filter: { Prefix: prefix },
      Expiration: { Days: days },
    }))
    const yours = (await rulesOf(client, bucket)).filter(({ ID }) => !rules.some((rule) => rule.ID === ID))
    const LifecycleConfiguration = { Rules: [...yours, ...ours] }
    await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration }))
    return true
  } catch (error) {
    if (refusals.has(nameOf(error))) return false
    throw error
  }
}

const refusals = new Set(['NotImplemented', 'MethodNotAllowed', 'AccessDenied'])

async function rulesOf(client: S3Client, bucket: string): Promise<LifecycleRule[]> {
  try {
    return (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))).Rules ?? []
  } catch (error) {
    if (nameOf(error) === 'NoSuchLifecycleConfiguration') return []
    throw error
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
