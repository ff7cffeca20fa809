import { rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { StackFailure } from '../failure.ts'
import { freePort, isPortFree } from '../free-port.ts'
import { type Home, homeAt, makeHome } from '../home.ts'
import { keptIdentity } from '../identity.ts'
import { assignPorts, readPortBook, writePortBook } from '../port-book.ts'
import { tryLock } from '../process/lock-file.ts'
import type { Settings } from '../settings.ts'
import { removeStack, type Stack, type StackProcess, writeStack } from '../stack-file.ts'
import { ledgerRoleIn } from '../units/ledger-database.ts'
import { planUnits } from '../units/plan-units.ts'
import { portNames } from '../units/port-names.ts'
import { type Wiring, wire } from '../units/wiring.ts'
import { guardsOf } from '../wire/guards.ts'
import { serveControl } from './control-socket.ts'
import { endLeftovers } from './process-record.ts'
import { Supervisor } from './supervisor.ts'
import type { Terminal } from './terminal.ts'

export interface RunningStack {
  readonly home: Home
  readonly stack: Stack
  stop(): Promise<void>
  killAll(): Promise<void>
}

const noRoleOfItsOwn =
  'the role of DATABASE_URL may not make roles, so the ledger connects as it and only triggers keep receipts as they are; CREATEROLE lets the ledger have a role of its own'

/** Takes the home, brings everything up and publishes it. What it started is stopped again when something does not come up. */
export async function runStack(settings: Settings, terminal: Terminal, signal: AbortSignal): Promise<RunningStack> {
  const home = homeAt(settings.home)
  makeHome(home)
  const lock = tryLock(home.supervisorFile, { port: settings.port })
  if (!lock.held) {
    throw new StackFailure(
      `A stack runs on ${home.folder} already (process ${lock.owner.pid}, port ${lock.owner.port}); stop it, or set another TURNPIKE_HOME and TURNPIKE_PORT.`,
    )
  }
  try {
    const left = await recover(home)
    if (left > 0) terminal.problem('recovery', `ended ${left} processes that the last stack left behind`)
    if (!(await isPortFree(settings.port))) {
      throw new StackFailure(`Port ${settings.port} is taken by another program; stop that, or set TURNPIKE_PORT.`)
    }
    const ports = await assignPorts({ isFree: isPortFree, pick: freePort }, readPortBook(home.portsFile), portNames(settings), [
      settings.port,
    ])
    writePortBook(home.portsFile, ports)
    const ledgerRole = await ledgerRoleIn(settings.yours.databaseUrl)
    if (ledgerRole === 'owner') terminal.problem('postgres', noRoleOfItsOwn)
    const guards = settings.isGuarded ? await guardsOf(home) : undefined
    const wiring = wire(settings, home, keptIdentity(home), ports, ledgerRole, guards)
    const supervisor = new Supervisor({
      home,
      terminal,
      units: planUnits(wiring),
      onChange: () => writeStack(home, describe(wiring, supervisor.processes())),
    })
    const interrupt = () => supervisor.interrupt()
    signal.addEventListener('abort', interrupt)
    let control: Server | undefined
    const stop = async () => {
      removeStack(home)
      control?.close()
      await supervisor.stop()
      lock.release()
    }
    try {
      signal.throwIfAborted()
      await supervisor.bringUp()
      control = await serveControl(home, (action, name) => supervisor.control(action, name))
      const stack = describe(wiring, supervisor.processes())
      writeStack(home, stack)
      return { home, stack, stop, killAll: () => supervisor.killAll() }
    } catch (error) {
      await stop()
      throw error
    } finally {
      signal.removeEventListener('abort', interrupt)
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A supervisor that was killed leaves a stack file, a socket and, on some systems, processes. */
async function recover(home: Home): Promise<number> {
  removeStack(home)
  rmSync(home.controlSocket, { force: true })
  return await endLeftovers(home)
}

function describe(wiring: Wiring, processes: readonly StackProcess[]): Stack {
  const { gatewayUrls, payTo, identity, chain, facilitatorUrl, brokers, databaseUrl, redisUrl, s3, sandboxAdminUrl, guards } =
    wiring
  return {
    baseUrl: gatewayUrls[0] ?? '',
    gateways: gatewayUrls,
    payTo,
    wallet: identity.wallet,
    chain,
    facilitatorUrl,
    kafka: { brokers },
    databaseUrl,
    redisUrl,
    s3,
    sandbox: sandboxAdminUrl === undefined ? null : { adminUrl: sandboxAdminUrl },
    ...(guards === undefined ? {} : { guarded: { caFile: guards.caFile } }),
    processes,
  }
}
