import { type Html, html } from '../html.ts'

type Arrow = { y: number; from: number; to: number; text: string; note?: string; dashed?: boolean }

const [CLIENT, TURNPIKE, OUTSIDE] = [55, 205, 345]
const ARROWS: readonly Arrow[] = [
  { y: 92, from: CLIENT, to: TURNPIKE, text: '1 request', note: 'with a key' },
  { y: 156, from: TURNPIKE, to: CLIENT, text: '2 402: the price', note: 'nothing charged', dashed: true },
  { y: 220, from: CLIENT, to: TURNPIKE, text: '3 same request', note: '+ signature' },
  { y: 268, from: TURNPIKE, to: OUTSIDE, text: '4 one call', note: 'to the model' },
  { y: 332, from: TURNPIKE, to: OUTSIDE, text: '5 settle', note: 'USDC on Base' },
  { y: 396, from: TURNPIKE, to: CLIENT, text: '6 200: answer', note: 'and receipt', dashed: true },
]

/** How paying works, drawn in the colours of the page. The text beside it says the same. */
export function payingPicture(): Html {
  return html`<svg class="picture" viewBox="0 0 400 440" role="img" aria-labelledby="picture-title picture-text">
<title id="picture-title">How paying works</title>
<desc id="picture-text">You send a request and get its price as a 402. You send the same request with a signature. Turnpike calls the model once, settles the payment on Base, and then releases the answer with its receipt.</desc>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>
${lane(CLIENT, 'You', 'any wallet')}${lane(TURNPIKE, 'Turnpike', '')}${lane(OUTSIDE, 'Model · Base', '')}
${ARROWS.map(arrow)}
</svg>`
}

function lane(x: number, name: string, below: string): Html {
  const width = 106
  return html`<line class="lane" x1="${x}" y1="48" x2="${x}" y2="428"/><rect class="head" x="${x - width / 2}" y="8" width="${width}" height="42" rx="8"/>
<text class="name" x="${x}" y="${below === '' ? 34 : 27}">${name}</text>${below === '' ? '' : html`<text class="below" x="${x}" y="43">${below}</text>`}`
}

function arrow({ y, from, to, text, note, dashed }: Arrow): Html {
  const middle = (from + to) / 2
  const inset = from < to ? 4 : -4
  return html`<line class="arrow${dashed ? ' back' : ''}" x1="${from + inset}" y1="${y}" x2="${to - inset}" y2="${y}" marker-end="url(#tip)"/>
<text class="step" x="${middle}" y="${y - 9}">${text}</text>${note === undefined ? '' : html`<text class="below" x="${middle}" y="${y + 19}">${note}</text>`}`
}
