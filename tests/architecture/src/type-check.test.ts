import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
type TsConfig = { extends: string; include: string[] }
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as TsConfig

it('the one type check of everything covers what every workspace checks, by the same rules', () => {
  const whole = read('tsconfig.json')
  const workspaces = globSync('{services,packages,infra,tests}/*/tsconfig.json', { cwd: root })
  expect(workspaces.length).toBeGreaterThan(20)
  const unchecked = workspaces.flatMap((file) => {
    const { extends: base, include } = read(file)
    expect(base, file).toBe('../../tsconfig.base.json')
    return include.map((folder) => join(dirname(file), folder)).filter((folder) => !isIn(whole.include, folder))
  })
  expect(unchecked).toEqual([])
  const without = globSync('{services,packages,infra,tests}/*/package.json', { cwd: root }).filter(
    (file) => !workspaces.includes(join(dirname(file), 'tsconfig.json')),
  )
  expect(without).toEqual(['infra/toolchain/package.json'])
})

function isIn(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchesGlob(path, pattern))
}
