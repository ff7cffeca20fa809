import type { ToolDeps } from '../process/run-tool.ts'
import type { Command } from '../process/running-process.ts'
import type { Credentials } from '../wire/authority.ts'

export const partNames = ['redis', 'postgres', 'kafka', 's3', 'chain'] as const
export type PartName = (typeof partNames)[number]

/** Where one instance of a part lives. Everything that must survive a stop is under `dir`, its own secrets too. */
export interface Site {
  readonly dir: string
  readonly port: number
  /** A second port, for the parts that need one. */
  readonly sidePort: number
  /** Kafka only, which tells its clients where it is: an address of this machine, for clients that 127.0.0.1 does not reach. */
  readonly host?: string
  /** Redis only: a node that waits to be made a part of a cluster. */
  readonly isClusterNode?: boolean
  /** TLS with this certificate, and an account with its own rights for every service; plain and open to this machine without it. */
  readonly guard?: Credentials
}

/** One piece of infrastructure as the supervisor and the tests see it: how to get it, start it, ask it and fill it. */
export interface Part<Software, Address> {
  readonly name: PartName
  readonly needsSidePort: boolean
  readonly readyTimeoutMs: number
  obtain(deps: ToolDeps): Promise<Software>
  /** Makes the folder fit for a start: a fresh one is initialised, one that was in use is kept. */
  prepare(software: Software, site: Site): Promise<void>
  command(software: Software, site: Site): Command
  /** Whether it serves by now; throws or says false while it does not. */
  answers(site: Site): Promise<boolean>
  /** What clients expect to find, made if it is not there. `say` tells whoever watches. */
  fill(site: Site, say: (line: string) => void): Promise<void>
  address(site: Site): Address
}
