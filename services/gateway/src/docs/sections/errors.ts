import { type ErrorCode, errorRow } from '@turnpike/contracts'
import { ERROR_GROUPS, type ErrorAdvice } from '../error-guide.ts'
import { type Html, html, withCode } from '../html.ts'

const CHARGED = {
  no: { label: 'not charged', sentence: 'You were not charged.' },
  yes: { label: 'charged before', sentence: 'The first answer under this key was paid for.' },
  unknown: { label: 'not known yet', sentence: 'Whether you were charged is not known yet. Asking again never charges twice.' },
}

/** Every code: what happened, whether it was charged, what to do. `doc_url` of each error leads to its anchor. */
export function errorsSection(): Html {
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>An error is <code>{"error": {"message", "type", "param", "code", "charged", "retryable", "doc_url"}, "request_id"}</code>, in OpenAI’s shape;
<code>/v1/messages</code> answers in Anthropic’s, with the same members. A 402 carries them at its top level. <code>charged</code> says whether money moved,
<code>x-should-retry</code> whether official clients should retry by themselves, <code>Retry-After</code> when.
Each <code>doc_url</code> leads to its entry here.</p>
${ERROR_GROUPS.map(
  ({ title, id, codes }) => html`<h3 id="${id}">${title}</h3>
<div class="errors">
${(Object.entries(codes) as [ErrorCode, ErrorAdvice][]).map(([code, advice]) => entry(code, advice))}</div>
`,
)}</section>`
}

function entry(code: ErrorCode, { happened, toDo }: ErrorAdvice): Html {
  const { status, charged, retryable, message } = errorRow(code)
  return html`<article class="error" id="${code}">
<h4><a href="#${code}">${code}</a> <span class="tag">${status}</span> <span class="tag charged-${charged}">${CHARGED[charged].label}</span>${
    retryable ? html` <span class="tag">retry helps</span>` : ''
  }</h4>
<p class="says">${message}</p>
<p>${withCode(happened)} ${CHARGED[charged].sentence}</p>
<p><b>What to do.</b> ${withCode(toDo)}</p>
</article>
`
}
