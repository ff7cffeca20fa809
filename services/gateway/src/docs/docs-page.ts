import type { DocsDeps } from './docs-deps.ts'
import { type Html, html } from './html.ts'
import { endpointsSection } from './sections/endpoints.ts'
import { errorsSection } from './sections/errors.ts'
import { introduction } from './sections/introduction.ts'
import { pricesSection } from './sections/prices.ts'
import { privacySection } from './sections/privacy.ts'
import { quickStart } from './sections/quick-start.ts'
import { receiptsSection } from './sections/receipts.ts'

const CONTENTS = [
  ['what', 'What it is'],
  ['paying', 'How paying works'],
  ['quick-start', 'Quick start'],
  ['endpoints', 'Endpoints'],
  ['prices', 'Prices'],
  ['errors', 'Errors'],
  ['receipts', 'Receipts'],
  ['privacy', 'Privacy'],
] as const

/** GET /docs: the whole page. `assets` are the addresses of its style and script. */
export function docsPage(deps: DocsDeps, assets: { style: string; script: string }): string {
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="AI model calls, sold one at a time and paid in USDC on Base. No account, no API key.">
<meta name="color-scheme" content="light dark">
<title>Turnpike: AI model calls, sold one at a time</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/docs">${mark()}Turnpike</a><nav aria-label="Pages"><a href="/docs" aria-current="page">Guide</a><a href="/docs/reference">Reference</a></nav></header>
<div class="layout">
<nav class="contents" aria-label="On this page"><ul>${CONTENTS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">
${introduction()}
${quickStart(deps)}
${endpointsSection(deps)}
${pricesSection(deps)}
${errorsSection()}
${receiptsSection(deps)}
${privacySection(deps)}
</main>
</div>
<footer><p>For machines: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>, <a href="/.well-known/x402">x402 resources</a>, <a href="/readyz">status</a>.</p></footer>
</body>
</html>
`.html
  }`
}

/** A barrier that is up. */
export function mark(): Html {
  return html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M5 21V9"/><path d="M5 10 20 4"/><path d="M2 21h20"/></svg>`
}
