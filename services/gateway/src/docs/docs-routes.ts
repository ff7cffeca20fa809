import { createRequire } from 'node:module'
import type { AppDeps } from '../app-deps.ts'
import { PAID } from '../endpoints/paid-endpoints.ts'
import type { Handler } from '../http/call.ts'
import { staticAnswer } from '../http/static-answer.ts'
import { docsPage } from './docs-page.ts'
import { pageAsset } from './page-asset.ts'
import { referencePage } from './reference-page.ts'

const MAX_AGE_S = 300
const CSS = 'text/css; charset=utf-8'
const JS = 'text/javascript; charset=utf-8'
/** Everything comes from here, nothing runs that is not a file of ours, and nobody frames the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** The viewer writes style attributes while it renders. */
const VIEWER_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

/** The pages for people, and what they load. All of it is made once, at start. */
export function docsRoutes(deps: AppDeps): readonly (readonly [path: string, handler: Handler])[] {
  const { publicBaseUrl, payTo, catalog } = deps
  const endpoints = PAID.filter(({ path }) => catalog.offersEndpoint(path))
  const own = (name: string, type: string) => pageAsset(new URL(`./assets/${name}`, import.meta.url), name, type)
  const style = own('page.css', CSS)
  const script = own('page.js', JS)
  const start = own('reference.js', JS)
  const viewerFile = (name: string) => createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
  const viewer = pageAsset(viewerFile('swagger-ui-bundle.js'), 'viewer.js', JS)
  const viewerStyle = pageAsset(viewerFile('swagger-ui.css'), 'viewer.css', CSS)

  const guide = docsPage({ publicBaseUrl, payTo, catalog, endpoints }, { style: style.path, script: script.path })
  const reference = referencePage({
    style: style.path,
    viewerStyle: viewerStyle.path,
    viewer: viewer.path,
    start: start.path,
  })
  return [
    ['/docs', page(guide, POLICY)],
    ['/docs/reference', page(reference, VIEWER_POLICY)],
    ...[style, script, start, viewer, viewerStyle].map(({ path, handler }) => [path, handler] as const),
  ]
}

function page(body: string, policy: string): Handler {
  return staticAnswer({
    body,
    contentType: 'text/html; charset=utf-8',
    maxAgeS: MAX_AGE_S,
    headers: { 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
  })
}
