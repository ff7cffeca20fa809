import { KAFKA_RIGHTS, type Principal, REDIS_RIGHTS, S3_RIGHTS } from '@turnpike/access'
import { guardedNames } from '@turnpike/local'
import type { Beside } from '../beside/start-beside.ts'
import { COMPONENTS, merged, of } from '../install/values.ts'
import type { Values } from '../kube/helm.ts'
import { AUTHORITIES, accountSecret, tlsSecret } from './guarded-objects.ts'

/** The chart's values for guarded connections, on top of those for plain ones: an account for each service, and no secret in them. */
export function guardedValues({ redisUrl }: Pick<Beside, 'redisUrl'>): Values {
  const keda = { name: accountSecret('keda') }
  return merged(
    {
      kafka: { tls: { enabled: true }, sasl: { mechanism: 'scram-sha-512' } },
      redis: { url: `rediss://${new URL(redisUrl).host}`, usernamePerService: true },
      secrets: { refs: { redisPassword: { key: 'REDIS_PASSWORD' }, kedaKafkaUsername: keda, kedaKafkaPassword: keda } },
      authorities: Object.fromEntries(guardedNames.map((wire) => [wire, { configMap: AUTHORITIES, key: `${wire}.crt` }])),
      topics: { secrets: { refs: refsOf('topics') } },
    },
    of('ledger', { tlsSecret: tlsSecret('ledger') }),
    of('facilitator', { tlsSecret: tlsSecret('facilitator') }),
    ...COMPONENTS.filter((component) => component !== 'facilitator').map((component) =>
      of(component, { secrets: { refs: refsOf(component) } }),
    ),
  )
}

/** References without a key: that is the chart's own. */
function refsOf(principal: Principal): Values {
  const here = { name: accountSecret(principal) }
  return {
    ...(principal in KAFKA_RIGHTS ? { kafkaPassword: here } : {}),
    ...(principal in REDIS_RIGHTS ? { redisPassword: here } : {}),
    ...(principal in S3_RIGHTS ? { s3AccessKeyId: here, s3SecretAccessKey: here } : {}),
  }
}
