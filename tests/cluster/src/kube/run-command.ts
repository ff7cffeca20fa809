import { spawn } from 'node:child_process'

export type CommandRun = { status: number | null; stdout: string; stderr: string }

/** Runs a program to its end and returns what it said, whatever its status. Rejects when it cannot be run or takes too long. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: { input?: string; timeoutMs?: number } = {},
): Promise<CommandRun> {
  const { input, timeoutMs = 120_000 } = options
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // A program that ends without reading all of its input is judged by its status.
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, timeoutMs)
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    if (timedOut) throw new Error(`${program} ${args.slice(0, 4).join(' ')} did not end within ${timeoutMs} ms: ${stderr}`)
    return { status, stdout, stderr }
  } finally {
    clearTimeout(timer)
  }
}

/** The same for a program that must succeed. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: { input?: string; timeoutMs?: number } = {},
): Promise<string> {
  const { status, stdout, stderr } = await runCommand(program, args, options)
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 6).join(' ')}: ${(stderr || stdout).trim().slice(-2_000)}`)
  return stdout
}
