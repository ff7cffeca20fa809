// What the page does beyond being read: tabs, copying, the calculator, and where one is on the page.

function node(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function tabs(box) {
  const list = box.querySelector('.tab-list')
  const buttons = [...list.children]
  const panels = buttons.map((button) => document.getElementById(button.getAttribute('aria-controls')))
  const select = (index) => {
    buttons.forEach((button, each) => {
      button.setAttribute('aria-selected', String(each === index))
      button.tabIndex = each === index ? 0 : -1
      panels[each].hidden = each !== index
    })
  }
  for (const [index, panel] of panels.entries()) {
    panel.setAttribute('role', 'tabpanel')
    panel.removeAttribute('aria-label')
    panel.setAttribute('aria-labelledby', buttons[index].id)
    buttons[index].addEventListener('click', () => select(index))
  }
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const now = buttons.findIndex((button) => button.tabIndex === 0)
    const end = { Home: 0, End: buttons.length - 1 }[event.key]
    if (step === undefined && end === undefined) return
    event.preventDefault()
    const next = end ?? (now + step + buttons.length) % buttons.length
    select(next)
    buttons[next].focus()
  })
  box.classList.add('tabbed')
  list.hidden = false
  select(1)
}

function copyButton(pre) {
  const button = node('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.setAttribute('aria-label', 'Copy the code')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  const frame = node('div', { className: 'copyable' })
  pre.replaceWith(frame)
  frame.append(pre, button)
}

const ITEMS = {
  estimated_input: 'estimated input',
  output_ceiling: 'ceiling of the answer',
  up_to_minimum_price: 'up to the minimum price',
  input_characters: 'characters',
  base_price: 'base price',
  service_fee: 'service fee',
}

function requestOf(form) {
  const { endpoint, model, text, max_tokens: tokens, seconds } = form.elements
  const said = { model: model.value }
  switch (endpoint.value) {
    case '/v1/images/generations':
      return { ...said, prompt: text.value }
    case '/v1/audio/speech':
      return { ...said, input: text.value }
    case '/v1/audio/transcriptions':
      return { ...said, audio_duration_ms: Math.round(Number(seconds.value) * 1000) }
    default:
      return { ...said, messages: [{ role: 'user', content: text.value }], max_tokens: Number(tokens.value) }
  }
}

function priceOf({ price, catalog_version: version }) {
  const rows = price.lines.map(({ item, quantity, unit, unit_price_usd: each, amount_usd: amount }) =>
    node(
      'tr',
      {},
      node('th', { scope: 'row', textContent: ITEMS[item] ?? item }),
      node('td', { textContent: `${Number(quantity).toLocaleString('en')} ${unit}${quantity === '1' ? '' : 's'} × ${each}` }),
      node('td', { className: 'number', textContent: amount }),
    ),
  )
  return [
    node('p', { className: 'amount' }, price.amount, ' ', node('small', { textContent: 'USDC' })),
    node('div', { className: 'scroll' }, node('table', {}, node('tbody', {}, ...rows))),
    node('p', { className: 'note', textContent: `Catalog ${version}. Exactly this amount stands in the challenge.` }),
  ]
}

function calculator(form) {
  const { endpoint, model } = form.elements
  const output = form.querySelector('output')
  let asked = 0
  let timer
  const ask = async () => {
    const number = ++asked
    try {
      const answer = await fetch('/v1/quote', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ endpoint: endpoint.value, request: requestOf(form) }),
      })
      const body = await answer.json()
      if (number !== asked) return
      if (answer.ok) output.replaceChildren(...priceOf(body))
      else output.replaceChildren(node('p', { className: 'refused', textContent: body.error.message }))
    } catch {
      if (number === asked)
        output.replaceChildren(node('p', { className: 'refused', textContent: 'The price could not be asked for.' }))
    }
  }
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(ask, 400)
  }
  const show = () => {
    const { models, fields } = endpoint.selectedOptions[0].dataset
    model.replaceChildren(...models.split(' ').map((name) => node('option', { textContent: name })))
    for (const label of form.querySelectorAll('[data-field]')) label.hidden = !fields.split(' ').includes(label.dataset.field)
  }
  endpoint.addEventListener('change', show)
  form.addEventListener('input', soon)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(timer)
    void ask()
  })
  show()
  form.hidden = false
  // Asked when it comes into sight: most readers never get there.
  const inSight = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    inSight.disconnect()
    void ask()
  })
  inSight.observe(form)
}

function whereOneIs(contents) {
  const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]))
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        for (const link of links.values()) link.removeAttribute('aria-current')
        links.get(target.id)?.setAttribute('aria-current', 'true')
      }
    },
    { rootMargin: '-20% 0px -70% 0px' },
  )
  for (const id of links.keys()) seen.observe(document.getElementById(id))
}

for (const box of document.querySelectorAll('[data-tabs]')) tabs(box)
if (navigator.clipboard !== undefined) for (const pre of document.querySelectorAll('pre')) copyButton(pre)
for (const form of document.querySelectorAll('#calculator')) calculator(form)
for (const contents of document.querySelectorAll('.contents')) whereOneIs(contents)
