import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { adminClient } from './admin-client.ts'

const main = join(import.meta.dirname, 'main.ts')
const running: ChildProcess[] = []
const stateDir = mkdtempSync(join(tmpdir(), 'sandbox-main-'))

afterEach(async () => {
  for (const child of running.splice(0)) await stop(child)
  rmSync(stateDir, { recursive: true, force: true })
})

async function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  return (await exited)[0]
}

async function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH ?? '', STATE_DIR: stateDir, ...env } })
  running.push(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const found = /gemini (\S+), elevenlabs (\S+), admin (\S+)/.exec(line)
  if (!found) throw new Error(line)
  const [, geminiUrl = '', elevenlabsUrl = '', adminUrl = ''] = found
  return { child, geminiUrl, elevenlabsUrl, adminUrl, admin: adminClient({ adminUrl }) }
}

const body = (text: string) =>
  JSON.stringify({
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
  })

function ask(url: string, text: string, agent: Agent, key = 'sandbox-gemini-key'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      agent,
      headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
    })
    sent.end(body(text))
  })
}

/** Resident memory of another process in MB. */
function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

describe('the sandbox as a process', () => {
  it('is healthy, takes its own keys, ends on SIGTERM with calls in flight, and counts on after a restart', async () => {
    const first = await start({ GEMINI_API_KEY: 'my-key' })
    expect((await first.admin.send('GET', '/healthz')).status).toBe(200)
    const agent = new Agent()
    expect((await ask(first.geminiUrl, 'x', agent)).status).toBe(400)
    expect((await ask(first.geminiUrl, 'x', agent, 'my-key')).status).toBe(200)
    await first.admin.setFaults([{ upstream: 'gemini', kind: 'hang' }])
    const hanging = ask(first.geminiUrl, 'x', agent).catch(() => 'ended')
    await expect.poll(() => first.admin.calls()).toHaveLength(3)
    expect(await stop(first.child)).toBe(0)
    expect(await hanging).toBe('ended')
    const second = await start()
    expect(await second.admin.faults()).toEqual([])
    await ask(second.geminiUrl, 'x', agent)
    expect((await second.admin.calls()).map(({ n }) => n)).toEqual([4])
  })

  it('refuses an impossible port with the name of the variable', async () => {
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH ?? '', ADMIN_PORT: '70000' } })
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    expect((await once(child, 'exit'))[0]).not.toBe(0)
    expect(Buffer.concat(errors).toString()).toContain('ADMIN_PORT must be an integer from 0 to 65535')
  })

  it('holds 1,000 calls at once and answers them all, in flat memory', async () => {
    const { child, geminiUrl, admin } = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
    const askAll = () => Array.from({ length: 1_000 }, (_, index) => ask(geminiUrl, `call number ${index}`, agent))
    try {
      // Sockets, buffers and compiled code cost memory once; what a second thousand adds is what counts.
      await Promise.all(askAll())
      const before = residentMb(child.pid ?? 0)
      await admin.setFaults([{ upstream: 'gemini', kind: 'latency', ms: 600_000 }])
      const answers = askAll()
      await expect.poll(async () => (await admin.calls(1_000)).filter(({ outcome }) => outcome === 'pending')).toHaveLength(1_000)
      expect(residentMb(child.pid ?? 0)).toBeLessThan(before + 80)
      await admin.send('DELETE', '/faults')
      const replies = await Promise.all(answers)
      expect(
        replies.filter(({ status, body: reply }, index) => status !== 200 || !reply.includes(`You said: call number ${index}"`)),
      ).toEqual([])
      expect((await admin.calls(1_000)).filter(({ outcome }) => outcome !== 'fault:latency')).toEqual([])
    } finally {
      agent.destroy()
    }
  }, 60_000)
})
