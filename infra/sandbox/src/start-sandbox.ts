import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openCallLog } from './call-log.ts'
import { createElevenLabs } from './elevenlabs/elevenlabs.ts'
import { createFaultList } from './fault-list.ts'
import { createGemini } from './gemini/gemini.ts'
import { createAdminServer } from './serve-admin.ts'
import { createUpstreamServer } from './serve-upstream.ts'

/** The keys that the sandbox accepts unless told otherwise. */
export const defaultGeminiApiKey = 'sandbox-gemini-key'
export const defaultElevenLabsApiKey = 'sandbox-elevenlabs-key'

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string
  /** 0, the default, takes a free port. */
  geminiPort?: number
  elevenlabsPort?: number
  adminPort?: number
  /** Where the call counter is kept; without it, calls are numbered from 1 at each start. */
  stateDir?: string
  geminiApiKey?: string
  elevenlabsApiKey?: string
  /** The voices that exist; without it every well-formed voice id (20 letters and digits) does. */
  elevenlabsVoices?: readonly string[]
  /** Added to every upstream answer. Default 0. */
  latencyMs?: number
}

export interface Sandbox {
  geminiUrl: string
  elevenlabsUrl: string
  adminUrl: string
  /** Ends open connections at once and stores the counter. */
  close(): Promise<void>
}

/** Starts the stand-ins of both vendors and their admin surface in this process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1'
  const latencyMs = options.latencyMs ?? 0
  const calls = openCallLog(options.stateDir)
  const faults = createFaultList()
  const gemini = createGemini({ apiKey: options.geminiApiKey ?? defaultGeminiApiKey })
  const elevenlabs = createElevenLabs({
    apiKey: options.elevenlabsApiKey ?? defaultElevenLabsApiKey,
    voices: options.elevenlabsVoices ? new Set(options.elevenlabsVoices) : undefined,
  })
  const servers: Server[] = []
  const open = async (server: Server, port: number): Promise<string> => {
    servers.push(server)
    // The default backlog of 511 drops connections when a thousand arrive at once.
    server.listen({ host, port, backlog: 4_096 })
    await once(server, 'listening')
    const { port: taken } = server.address() as AddressInfo
    return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
  }
  const close = async () => {
    await Promise.all(servers.map(closeServer))
    calls.close()
  }
  try {
    return {
      geminiUrl: await open(createUpstreamServer({ upstream: gemini, calls, faults, latencyMs }), options.geminiPort ?? 0),
      elevenlabsUrl: await open(
        createUpstreamServer({ upstream: elevenlabs, calls, faults, latencyMs }),
        options.elevenlabsPort ?? 0,
      ),
      adminUrl: await open(createAdminServer({ calls, faults }), options.adminPort ?? 0),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
