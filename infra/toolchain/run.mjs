#!/usr/bin/env node
// Runs a workspace script on the pinned Node, whatever Node the user has (18 or newer).
//   node infra/toolchain/run.mjs <script.ts> [arguments]     a TypeScript file, on Node 24's type stripping
//   node infra/toolchain/run.mjs --pnpm <arguments>          pnpm itself
// The pinned Node and pnpm are installed once into .toolchain/; the workspace is installed again whenever its
// lockfile, its settings, its patches or a manifest changed, and the database client is generated again whenever its schema did. Plain JavaScript without imports of ours: nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lock } from './install-lock.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const toolchain = join(root, '.toolchain')
const bin = join(toolchain, 'node_modules', '.bin')
const progressEveryMs = 10_000

const major = Number(process.versions.node.split('.')[0])
if (major < 18)
  fail(`Turnpike needs any Node from 18 on to start (it brings its own for the rest); this is ${process.versions.node}.`)

const env = {
  ...process.env,
  PATH: `${bin}:${process.env.PATH ?? ''}`,
  // Stripping the types of a service and compiling it is most of its start: a third less from the second time on.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(toolchain, 'compile-cache'),
  // No part of the tool chain reports home or waits for a prompt.
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  CHECKPOINT_DISABLE: '1',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
}

// Whatever runs for us at the moment. The terminal signals it on Ctrl-C as it signals us; a signal for this process alone is handed on.
let child
let stopping
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopping = signal
    if (child === undefined) process.exit(128 + constants.signals[signal])
    else child.kill(signal)
  })
}

await prepare()
await runScript(process.argv.slice(2))

async function prepare() {
  const steps = [toolchainStep(), workspaceStep(), databaseClientStep()]
  if (steps.every((step) => step.isDone())) return
  mkdirSync(toolchain, { recursive: true })
  const release = await lock(join(toolchain, 'install.lock'), (owner) =>
    say('·', 'toolchain', `waiting for process ${owner ?? '?'}, which installs it`),
  )
  try {
    // Another process may have done them while we waited.
    for (const step of steps) if (!step.isDone()) await step.run()
  } finally {
    release()
  }
}

function toolchainStep() {
  const wanted = digest([join(here, 'package.json')])
  return {
    isDone: () => stampOf('toolchain') === wanted && existsSync(join(bin, 'node')) && existsSync(join(bin, 'pnpm')),
    run: async () => {
      rmSync(join(toolchain, 'node_modules'), { recursive: true, force: true })
      copyFileSync(join(here, 'package.json'), join(toolchain, 'package.json'))
      const args = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
      await execute('toolchain', 'installing Node 24 and pnpm', 'npm', args, toolchain)
      const version = spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' })
      if (version.status !== 0)
        fail('The pinned Node does not run on this machine (its npm package has no build for this platform).')
      stamp('toolchain', wanted)
    },
  }
}

function workspaceStep() {
  const files = [
    join(root, 'pnpm-lock.yaml'),
    join(root, 'pnpm-workspace.yaml'),
    join(root, 'package.json'),
    ...manifests(),
    ...patches(),
  ]
  const wanted = digest(files)
  return {
    isDone: () => stampOf('workspace') === wanted && existsSync(join(root, 'node_modules', '.modules.yaml')),
    run: async () => {
      const args = ['install', '--frozen-lockfile', '--reporter=append-only', '--config.confirmModulesPurge=false']
      await execute('workspace', 'installing the packages', join(bin, 'pnpm'), args, root)
      stamp('workspace', wanted)
    },
  }
}

function databaseClientStep() {
  const ledger = join(root, 'services', 'ledger')
  const files = [join(ledger, 'prisma', 'schema.prisma'), join(ledger, 'prisma.config.ts'), join(ledger, 'package.json')]
  const wanted = digest(files)
  return {
    isDone: () =>
      !existsSync(files[0]) ||
      (stampOf('database-client') === wanted && existsSync(join(ledger, 'src', 'generated', 'client.ts'))),
    run: async () => {
      const args = ['--dir', ledger, 'run', 'generate']
      // Generating needs no engine, yet looks for one to download; any program at all keeps it from doing so.
      const more = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' }
      await execute('database client', 'generating it from the schema', join(bin, 'pnpm'), args, ledger, more)
      stamp('database-client', wanted)
    },
  }
}

async function runScript([script, ...rest]) {
  if (script === undefined) fail('Usage: node infra/toolchain/run.mjs <script.ts> [arguments]')
  const [command, args] =
    script === '--pnpm'
      ? [join(bin, 'pnpm'), rest]
      : [join(bin, 'node'), ['--disable-warning=ExperimentalWarning', join(root, script), ...rest]]
  if (stopping !== undefined) process.exit(128 + constants.signals[stopping])
  child = spawn(command, args, { cwd: root, env, stdio: 'inherit' })
  const { code, signal, error } = await ended(child)
  if (error !== undefined) fail(error.message)
  process.exit(code ?? 128 + (constants.signals[signal] ?? 1))
}

/** Runs one step of the preparation, saying so before, every ten seconds and after; its output goes to a log that a failure names. */
async function execute(name, doing, command, args, cwd, more = {}) {
  if (stopping !== undefined) process.exit(128 + constants.signals[stopping])
  const startedMs = Date.now()
  const logFile = join(toolchain, `${name.replace(' ', '-')}.log`)
  say('·', name, doing)
  const log = openSync(logFile, 'w')
  child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', log, log] })
  closeSync(log)
  const progress = setInterval(() => say('·', name, `${doing} …`, startedMs), progressEveryMs)
  const { code, signal, error } = await ended(child)
  child = undefined
  clearInterval(progress)
  if (stopping !== undefined) process.exit(128 + constants.signals[stopping])
  if (code !== 0) fail(`${name}: ${doing} failed (${error?.message ?? signal ?? `exit code ${code}`}); see ${logFile}.`)
  say('✓', name, 'ready', startedMs)
}

function ended(process) {
  return new Promise((done) => {
    process.on('error', (error) => done({ code: null, signal: null, error }))
    process.on('exit', (code, signal) => done({ code, signal }))
  })
}

function manifests() {
  return ['services', 'packages', 'infra', 'tests']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name, 'package.json')))
    .sort()
}

function patches() {
  const folder = join(root, 'infra', 'patches')
  return existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .map((name) => join(folder, name))
    : []
}

function digest(files) {
  const hash = createHash('sha256')
  for (const file of files.filter((file) => existsSync(file)))
    hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function stampOf(name) {
  const file = join(toolchain, `${name}.stamp`)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function stamp(name, value) {
  writeFileSync(join(toolchain, `${name}.stamp`), value)
}

function say(mark, name, text, sinceMs) {
  const took = sinceMs === undefined ? '' : `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`.padStart(7)
  const line = `${mark} ${name.padEnd(15)} ${took === '' ? text : text.padEnd(50)}${took}`
  const colours = process.stderr.isTTY && !process.env.NO_COLOR
  process.stderr.write(
    colours && mark === '·'
      ? `  \u001b[2m${line}\u001b[0m\n`
      : `  ${colours ? line.replace(mark, `\u001b[32m${mark}\u001b[0m`) : line}\n`,
  )
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
