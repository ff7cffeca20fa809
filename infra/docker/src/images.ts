/** Our own images: what each one starts. The first entry is the one that it starts by itself and is called main.mjs in it. */
export interface Image {
  readonly name: string
  /** From the checkout's root; bundled to a file beside each other. */
  readonly entries: Readonly<Record<string, string>>
}

export const services = [
  'gateway',
  'text-worker',
  'media-worker',
  'transcription-worker',
  'ledger',
  'facilitator',
  'auditor',
] as const

const healthcheck = 'infra/docker/src/healthcheck.ts'

export const images: readonly Image[] = [
  ...services.map((name) => ({
    name,
    entries: {
      main: `services/${name}/src/main.ts`,
      ...(name === 'ledger'
        ? { migrate: 'services/ledger/src/migrate.ts', 'ensure-topics': 'services/ledger/src/ensure-topics.ts' }
        : {}),
      ...(name === 'auditor' ? { 'paid-check': 'services/paid-check/src/main.ts' } : {}),
      healthcheck,
    },
  })),
  // For development: what stands in for the model vendors, and what a stack of containers needs of the local stack.
  { name: 'sandbox', entries: { main: 'infra/sandbox/src/main.ts', healthcheck } },
  {
    name: 'local',
    entries: {
      main: 'infra/local/src/compose/chain.ts',
      keys: 'infra/local/src/compose/keys.ts',
      bucket: 'infra/local/src/compose/bucket.ts',
      pay: 'infra/local/src/compose/pay.ts',
      healthcheck,
    },
  },
]

export function imageNamed(name: string): Image {
  const image = images.find((each) => each.name === name)
  if (image === undefined) throw new Error(`There is no image ${name}; there are ${images.map((each) => each.name).join(', ')}.`)
  return image
}
