// Starts the viewer on our own document. Nothing is sent anywhere else: no validator, no remote configuration.

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

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
  syntaxHighlight: { activated: true, theme: dark.matches ? 'monokai' : 'idea' },
})
