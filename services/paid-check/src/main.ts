import { loadConfig, runService } from '@turnpike/service'
import { checkPaidRequest } from './check-paid-request.ts'
import { PAID_CHECK_CONFIG } from './config.ts'

// Whether an installation sells: exit status 0 when everything that was looked at holds, 1 when something does not.
runService(async () => {
  const config = loadConfig('paid-check', PAID_CHECK_CONFIG, process.env)
  const result = await checkPaidRequest(config, { say: (line) => void process.stdout.write(`${line}\n`) })
  if (result.kind === 'fails') {
    process.stderr.write(`${result.why}\n`)
    process.exitCode = 1
  }
})
