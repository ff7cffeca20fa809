// A thread of its own, as the vendors are: making speech takes time.
import { parentPort, workerData } from 'node:worker_threads'
import { type SandboxOptions, startSandbox } from '@turnpike/sandbox'

const { geminiUrl, elevenlabsUrl, adminUrl } = await startSandbox(workerData as SandboxOptions)
parentPort?.postMessage({ geminiUrl, elevenlabsUrl, adminUrl })
