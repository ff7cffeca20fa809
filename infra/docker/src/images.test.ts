import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { containerConfig } from '@turnpike/local'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { images, services } from './images.ts'

const root = join(import.meta.dirname, '../../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = text('infra/docker/Dockerfile')
const names = images.map(({ name }) => name)

interface ComposeService {
  image: string
  build?: { target: string }
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  healthcheck?: { disable?: boolean; test?: string[] }
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
}
const compose = parse(text('compose.yaml'), { merge: true }) as { services: Record<string, ComposeService> }
const composed = Object.entries(compose.services)

describe('images', () => {
  it('start every program that a service folder has', () => {
    const folders = readdirSync(join(root, 'services')).filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')))
    const started = images.flatMap(({ entries }) => Object.values(entries))
    expect(folders.map((name) => `services/${name}/src/main.ts`).filter((main) => !started.includes(main))).toEqual([])
    expect(started.filter((entry) => !existsSync(join(root, entry)))).toEqual([])
  })

  it('are the targets of the Dockerfile, and what build.sh builds', () => {
    const targets = [...dockerfile.matchAll(/^FROM runtime AS (\S+)$/gm)].map(([, target]) => target)
    expect(targets.sort()).toEqual([...names].sort())
    const built = /^\[ \$# -gt 0 \] \|\| set -- (.*)$/m.exec(text('infra/docker/build.sh'))?.[1]?.split(' ')
    expect(built?.sort()).toEqual([...names].sort())
    for (const name of names) expect(dockerfile).toMatch(new RegExp(`^COPY --from=bundled /out/${name} /app$`, 'm'))
  })

  it('run as a numbered user, without a shell between the signal and the program', () => {
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m)
    const starts = [...dockerfile.matchAll(/^(?:ENTRYPOINT|CMD) (.*)$/gm)].map(([, start]) => start ?? '')
    expect(starts.length).toBeGreaterThan(1)
    for (const start of starts) expect(JSON.parse(start)[0]).toBe('node')
  })
})

describe('compose.yaml', () => {
  it('runs every service of its own image, and no image that nobody builds', () => {
    const ours = composed.filter(([, { build }]) => build !== undefined)
    for (const [name, { image, build }] of ours) {
      expect(names, name).toContain(build?.target)
      expect(image).toBe(`turnpike/${build?.target}:\${TAG:-dev}`)
    }
    const targets = ours.map(([, { build }]) => build?.target)
    expect(services.filter((name) => !targets.includes(name))).toEqual([])
  })

  it('confines every container', () => {
    for (const [name, service] of composed) {
      expect([name, service.read_only, service.cap_drop, service.security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ])
    }
  })

  it('waits for what is healthy or done, and asks everything that stays how it is', () => {
    for (const [name, { depends_on = {}, healthcheck }] of composed) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const isTask = compose.services[other]?.healthcheck?.disable === true
        expect([name, other, condition]).toEqual([name, other, isTask ? 'service_completed_successfully' : 'service_healthy'])
      }
      expect(healthcheck, name).toBeDefined()
    }
  })

  it('holds no secret: each is a file of the keys', () => {
    const secret = /KEYS|TOKEN$|PASSWORD|DATABASE_URL|PRIVATE|SECRET|ACCESS_KEY/
    for (const [name, { environment = {} }] of composed) {
      for (const [variable, value] of Object.entries(environment)) {
        if (variable.endsWith('_FILE')) expect(value, `${name} ${variable}`).toMatch(/^\/keys\//)
        else expect(secret.test(variable), `${name} ${variable}`).toBe(false)
      }
    }
  })

  it('names the third-party images that the container tests and the offline build name', () => {
    const defaults = (file: string) =>
      [...text(file).matchAll(/\$\{(KAFKA_IMAGE|POSTGRES_IMAGE|REDIS_IMAGE|S3_IMAGE|NODE_IMAGE):-([^}]+)\}/g)]
        .map(([, name, image]) => `${name} ${image}`)
        .filter((line, index, all) => all.indexOf(line) === index)
        .sort()
    expect(defaults('compose.yaml')).toEqual(defaults('infra/docker/image-names.sh'))
    const { kafka, postgres, redis, s3 } = containerConfig({}).images
    expect(defaults('compose.yaml')).toEqual(
      expect.arrayContaining([`KAFKA_IMAGE ${kafka}`, `POSTGRES_IMAGE ${postgres}`, `REDIS_IMAGE ${redis}`, `S3_IMAGE ${s3}`]),
    )
    expect(dockerfile).toContain(`RUNTIME_IMAGE=${/NODE_IMAGE:-([^}]+)/.exec(text('infra/docker/image-names.sh'))?.[1]}`)
  })

  it('runs the Node and the pnpm that everybody here runs', () => {
    const { dependencies } = JSON.parse(text('infra/toolchain/package.json')) as { dependencies: Record<string, string> }
    expect(dockerfile).toContain(`node:${dependencies.node}-bookworm-slim`)
    expect(dockerfile).toContain(`PNPM_VERSION=${dependencies.pnpm}`)
  })
})
