// node infra/docker/src/offline-software.ts <kafka|postgres|s3> <folder>: copies what npm start uses for that part into a folder.
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { obtainKafka, obtainVersitygw, postgresFolder } from '@turnpike/local'

const [part, folder] = process.argv.slice(2)
if (part === undefined || folder === undefined) throw new Error('Usage: offline-software.ts <kafka|postgres|s3> <folder>')
const tools = { say: (line: string) => process.stderr.write(`  · ${line}\n`), signal: new AbortController().signal }
mkdirSync(dirname(folder), { recursive: true })
if (part === 'kafka') cpSync((await obtainKafka(tools)).jars, folder, { recursive: true })
else if (part === 'postgres') cpSync(postgresFolder(), folder, { recursive: true, verbatimSymlinks: true })
else if (part === 's3') cpSync(await obtainVersitygw(tools), join(folder, 'versitygw'))
else throw new Error(`There is no part ${part}.`)
