import { mark } from './docs-page.ts'
import { html } from './html.ts'

type Assets = { style: string; viewerStyle: string; viewer: string; start: string }

/** GET /docs/reference: the frame around the OpenAPI viewer, which brings a main part of its own. */
export function referencePage(assets: Assets): string {
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Turnpike: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.viewerStyle}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.viewer}" defer></script>
<script type="module" src="${assets.start}"></script>
</head>
<body class="reference">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/docs">${mark()}Turnpike</a><nav aria-label="Pages"><a href="/docs">Guide</a><a href="/docs/reference" aria-current="page">Reference</a></nav></header>
<div id="main" tabindex="-1"><div id="viewer"><main><p>The viewer needs JavaScript. The document that it shows is <a href="/openapi.json">/openapi.json</a>.</p></main></div></div>
</body>
</html>
`.html
  }`
}
