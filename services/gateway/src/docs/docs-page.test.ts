import { catalogOf } from '@turnpike/catalog'
import { ERRORS, type ErrorCode, MODELS, PAID_ENDPOINTS, type PaidEndpoint } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../endpoints/paid-endpoints.ts'
import { docsPage } from './docs-page.ts'
import { ERROR_GROUPS } from './error-guide.ts'
import { html, withCode } from './html.ts'

function pageFor(paths: readonly PaidEndpoint[], models = MODELS as readonly (typeof MODELS)[number][]): string {
  return docsPage(
    {
      publicBaseUrl: 'https://api.test',
      payTo: '0x0000000000000000000000000000000000000001',
      catalog: catalogOf(models, paths),
      endpoints: ENDPOINTS.filter(({ path }) => paths.includes(path)),
    },
    { style: '/s.css', script: '/s.js' },
  )
}
const page = pageFor(PAID_ENDPOINTS)

describe('the documentation page', () => {
  it('explains every error code once, at the anchor that doc_url leads to', () => {
    const explained = ERROR_GROUPS.flatMap(({ codes }) => Object.keys(codes))
    expect(explained.sort()).toEqual(Object.keys(ERRORS).sort())
    for (const code of Object.keys(ERRORS) as ErrorCode[]) expect(page.split(`id="${code}"`), code).toHaveLength(2)
  })

  it('has no identifier twice and no link to an anchor that is not there', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(targets.filter((id) => !ids.includes(id))).toEqual([])
  })

  it('runs nothing and styles nothing inline, and loads nothing from elsewhere', () => {
    expect(page).not.toMatch(/\sstyle="|<style|\son[a-z]+="/)
    expect([...page.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, , text]) => text)).toEqual([''])
    expect([...page.matchAll(/(?:src|rel="(?:stylesheet|icon)" href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      '/s.css',
      '/s.js',
    ])
  })

  it('names what is on offer and nothing else', () => {
    const textOnly = pageFor(['/v1/chat/completions'], ['gm-2.5-flash'])
    expect(textOnly).toContain('POST /v1/chat/completions')
    expect(textOnly).not.toContain('POST /v1/messages')
    expect(textOnly).not.toContain('gm-2.5-pro<')
    expect(textOnly).not.toContain('Audio to transcribe')
    expect(page).toContain('Audio to transcribe')
  })
})

describe('markup', () => {
  it('escapes what is put into it, but not markup of its own', () => {
    expect(html`<p title="${'"x"'}">${'<b>&'} ${[html`<i>${1}</i>`, '<']}</p>`.html).toBe(
      '<p title="&#34;x&#34;">&#60;b&#62;&#38; <i>1</i>&#60;</p>',
    )
    expect(withCode('use `<a>` now').html).toBe('use <code>&#60;a&#62;</code> now')
  })
})
