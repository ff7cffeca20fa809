import { sentenceOf } from './failure.ts'
import { homeAt, homeFolder } from './home.ts'
import { sendControl } from './supervisor/control-socket.ts'
import { isPartAction } from './supervisor/lifecycle.ts'

const [action, name] = process.argv.slice(2)
if (!isPartAction(action) || name === undefined) {
  process.stderr.write(
    'Usage: npm run part -- start|stop|kill <name>, such as kafka, postgres, redis, s3, chain, sandbox or facilitator\n',
  )
  process.exit(2)
}
try {
  const { ok, sentence } = await sendControl(homeAt(homeFolder(process.env)), action, name)
  ;(ok ? process.stdout : process.stderr).write(`${sentence}\n`)
  process.exitCode = ok ? 0 : 1
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = 1
}
