import { ERRORS, type ErrorCode, errorRow } from '@turnpike/contracts'
import type { Handler } from '../http/call.ts'
import { send } from '../http/send-answer.ts'

const CHARGED = {
  no: 'You were not charged.',
  yes: 'The first answer was paid for.',
  unknown: 'Whether you were charged is not known yet.',
}

/** Where every `doc_url` leads: each code with what happened, whether it was charged, and what to do. Rendered once. */
export function errorCatalogue(): Handler {
  const page = render()
  return (_request, response, call) =>
    send(response, call, page, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        'cache-control': 'public, max-age=300',
      },
    })
}

function render(): string {
  const codes = Object.keys(ERRORS).sort() as ErrorCode[]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnpike: errors</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h2 { font: 600 1.05rem ui-monospace, monospace; margin: 2rem 0 .2rem; scroll-margin-top: 1rem }
h2:target { text-decoration: underline; text-underline-offset: .3em }
p { margin: .2rem 0 }
.facts { opacity: .75 }
</style>
</head>
<body>
<h1>Errors</h1>
<p>Every error carries its code, whether anything was charged, and whether sending the same request again can help.</p>
${codes.map(entry).join('\n')}
</body>
</html>
`
}

function entry(code: ErrorCode): string {
  const { status, charged, retryable, message } = errorRow(code)
  const retry = retryable
    ? 'Send the same request again under the same key, after Retry-After.'
    : 'Sending it again unchanged cannot help.'
  return `<section><h2 id="${code}">${code}</h2>
<p>${escaped(message)}</p>
<p class="facts">HTTP ${status}. ${CHARGED[charged]} ${retry}</p></section>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
