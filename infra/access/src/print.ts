import { KAFKA_RIGHTS } from './kafka-rights.ts'
import { REDIS_RIGHTS, redisRules } from './redis-rights.ts'
import { bucketPolicy } from './s3-rights.ts'

const USAGE = `Usage: npm run access -- kafka           kafka-acls.sh calls, one per right; set BOOTSTRAP and COMMAND_CONFIG for them
       npm run access -- redis           one ACL SETUSER per service; put a password in for each
       npm run access -- s3 <bucket>     a bucket policy; put your account's number in
`

function kafka(): string {
  const lines = Object.entries(KAFKA_RIGHTS).flatMap(([principal, rights = []]) =>
    rights.flatMap(({ resource, name, operations }) =>
      operations.map(
        (operation) =>
          `kafka-acls.sh --bootstrap-server "$BOOTSTRAP" --command-config "$COMMAND_CONFIG" --add --allow-principal User:${principal} --operation ${camel(operation)} ${resource === 'cluster' ? '--cluster' : `--${resource} ${name}`}`,
      ),
    ),
  )
  return `${lines.join('\n')}\n`
}

/** DESCRIBE_CONFIGS as DescribeConfigs: the tool takes them so. */
function camel(operation: string): string {
  return operation.toLowerCase().replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

function redis(): string {
  const lines = Object.entries(REDIS_RIGHTS).map(
    ([principal, right]) => `ACL SETUSER ${principal} on >PASSWORD ${redisRules(right).join(' ')}`,
  )
  return `${lines.join('\n')}\nACL SETUSER default off\n`
}

function s3(bucket: string): string {
  const policy = bucketPolicy(bucket, (principal) => `arn:aws:iam::ACCOUNT:role/turnpike-${principal}`)
  return `${JSON.stringify(policy, null, 2)}\n`
}

const [what, bucket] = process.argv.slice(2)
const text = what === 'kafka' ? kafka() : what === 'redis' ? redis() : what === 's3' && bucket ? s3(bucket) : undefined
;(text === undefined ? process.stderr : process.stdout).write(text ?? USAGE)
process.exitCode = text === undefined ? 2 : 0
