import { auditStack } from './audit-stack.ts'
import { sentenceOf } from './failure.ts'
import { homeFolder } from './home.ts'

// npm run audit: the auditor over the stack that runs on TURNPIKE_HOME.
try {
  const { status } = await auditStack(homeFolder(process.env), process.argv.slice(2), { terminal: true })
  process.exitCode = status ?? 2
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = 2
}
