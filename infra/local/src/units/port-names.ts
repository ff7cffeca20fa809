import type { Settings } from '../settings.ts'
import { services } from './services.ts'
import { internalPortName, publicPortName, replicasOf } from './wiring.ts'

/** Every port but the first gateway's, which is chosen by the user. */
export function portNames(settings: Settings): string[] {
  const fixed = ['redis', 'postgres', 'kafka', 'kafka-side', 's3', 'chain', 'facilitator', 'facilitator-internal']
  const sandbox = ['sandbox-gemini', 'sandbox-elevenlabs', 'sandbox-admin']
  const ofServices = services.flatMap(({ name, hasPublicPort }) =>
    replicasOf(settings, name).flatMap((replica) => [
      internalPortName(name, replica),
      ...(hasPublicPort && replica > 0 ? [publicPortName(name, replica)] : []),
    ]),
  )
  return [...fixed, ...sandbox, ...ofServices]
}
