import { randomInt } from 'node:crypto'
import { givenOptions, UsageError, wholeNumber } from '@turnpike/testing/command-line'

/** How the tests find the cluster, the images and this machine. */
export type Options = {
  namespace: string
  /** An address of this machine that pods reach. */
  besideHost: string
  /** Whose connections to the gateway are let in: the clients'. */
  clientCidr: string
  /** How clients reach the gateway: the Service's own address, or a port of a node. */
  via: 'cluster-ip' | 'node-port'
  tag: string
  /** Is given the images that the nodes need; none where they can pull them. */
  imageLoader: readonly string[] | undefined
  clients: number
  seed: number
  /** Names of steps; all of them when undefined. */
  only: readonly string[] | undefined
  keep: boolean
  /** TLS and an account for each service on every connection between the parts of an installation. */
  guarded: boolean
  upgrade: { from: string } | undefined
}

export const USAGE = `npm run test:cluster -- [options]
  installs the chart in the cluster that KUBECONFIG names and puts it through every step under paid load
  --only a,b       those steps (and the installation before them)
  --clients N      clients at once, 6 unless told
  --seed N         what draws their behaviour
  --guarded        every connection by TLS and under an account of its own, ledger and facilitator by HTTPS
  --keep           leave the installation and what runs beside it until Ctrl-C
  --upgrade        the upgrade drill on processes, without a cluster; --from COMMIT is the older release

environment
  KUBECONFIG                a cluster that this account may administrate
  TURNPIKE_IMAGE_TAG        of turnpike/<service>, dev unless set
  TURNPIKE_IMAGE_LOADER     a command that brings the images named after it to the nodes; none where they can pull them
  TURNPIKE_BESIDE_HOST      an address of this machine that pods reach, 10.231.0.1 unless set
  TURNPIKE_CLIENT_CIDR      where the gateway's clients come from, that host unless set
  TURNPIKE_GATEWAY_VIA      cluster-ip (unless set) or node-port
  TURNPIKE_TEST_NAMESPACE   turnpike-test unless set; it is deleted at the end`

/** A commit that knows one schema of an outcome. */
export const BEFORE_TWO_SCHEMAS = 'e1d9467'

export function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Options | 'help' {
  const values = givenOptions(args, {
    only: { type: 'string' },
    clients: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean' },
    guarded: { type: 'boolean' },
    upgrade: { type: 'boolean' },
    from: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  })
  if (values.help === true) return 'help'
  if (values.guarded === true && values.upgrade === true)
    throw new UsageError('--guarded is about a cluster, --upgrade needs none')
  const besideHost = env.TURNPIKE_BESIDE_HOST || '10.231.0.1'
  const via = env.TURNPIKE_GATEWAY_VIA || 'cluster-ip'
  if (via !== 'cluster-ip' && via !== 'node-port') throw new UsageError('TURNPIKE_GATEWAY_VIA takes cluster-ip or node-port')
  const loader = env.TURNPIKE_IMAGE_LOADER?.split(' ').filter((word) => word !== '')
  return {
    namespace: env.TURNPIKE_TEST_NAMESPACE || 'turnpike-test',
    besideHost,
    clientCidr: env.TURNPIKE_CLIENT_CIDR || `${besideHost}/32`,
    via,
    tag: env.TURNPIKE_IMAGE_TAG || 'dev',
    imageLoader: loader === undefined || loader.length === 0 ? undefined : loader,
    clients: wholeNumber('--clients', values.clients, 200) ?? 6,
    seed: wholeNumber('--seed', values.seed, 2 ** 32) ?? randomInt(1, 1_000_000),
    only: values.only?.split(',').map((name) => name.trim()),
    keep: values.keep === true,
    guarded: values.guarded === true,
    upgrade: values.upgrade === true ? { from: values.from ?? BEFORE_TWO_SCHEMAS } : undefined,
  }
}
