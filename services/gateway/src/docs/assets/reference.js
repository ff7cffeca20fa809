// Starts the viewer on our own document. Nothing is sent anywhere else: no validator, no remote configuration.

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

/** The viewer puts a link into the button that opens an operation. The button alone leads to the same address. */
const noLinkInButtons = ({ React }) => ({
  wrapComponents: { DeepLink: () => (props) => React.createElement('span', null, props.text) },
})

/** The one field that the viewer leaves without a name. */
const nameServers = () => document.getElementById('servers')?.setAttribute('aria-label', 'Server')

document.getElementById('viewer').replaceChildren()
window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
  plugins: [noLinkInButtons],
  onComplete: nameServers,
})
