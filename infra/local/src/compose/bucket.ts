// node /app/bucket.mjs: makes the bucket that the services expect to find; the topics are the ledger's to make.
import { readFileSync } from 'node:fs'
import { makeBucket } from '../parts/s3.ts'
import { keyFile, localConfig } from './config.ts'

const config = localConfig(process.env)
await makeBucket(
  {
    endpoint: config.s3Endpoint,
    region: 'us-east-1',
    bucket: 'turnpike',
    accessKeyId: readFileSync(keyFile(config, 'S3_ACCESS_KEY_ID'), 'utf8'),
    secretAccessKey: readFileSync(keyFile(config, 'S3_SECRET_ACCESS_KEY'), 'utf8'),
  },
  (line) => process.stdout.write(`s3 ${line}\n`),
)
process.stdout.write('the bucket is there\n')
