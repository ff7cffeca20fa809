import { startSandbox } from '@turnpike/sandbox'
import { endWithParent } from './serve-until-disconnected.ts'

// One stand-in for the vendors, called by both sides.

const { UPSTREAM_KEY = '' } = process.env
const { geminiUrl, elevenlabsUrl } = await startSandbox({ geminiApiKey: UPSTREAM_KEY, elevenlabsApiKey: UPSTREAM_KEY })
endWithParent()
process.send?.({ geminiUrl, elevenlabsUrl })
