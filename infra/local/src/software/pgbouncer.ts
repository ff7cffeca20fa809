import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

/** The path of a pgbouncer; no part of the stack, for the test of a ledger behind one. */
export async function obtainPgbouncer(signal: AbortSignal = new AbortController().signal): Promise<string> {
  const folders = `${process.env.PATH ?? ''}:/usr/sbin`
  if (findProgram('pgbouncer', folders) === undefined && canInstallDebianPackages()) {
    await installDebianPackages({ signal, say: () => {} }, ['pgbouncer'])
  }
  const program = findProgram('pgbouncer', folders)
  if (program === undefined) throw new StackFailure('PgBouncer is missing: install it (on Debian: apt-get install pgbouncer).')
  return program
}
