// node /app/healthcheck.mjs [path]: ends with 0 when the service in this container answers 200 on its internal port. An image without a
// shell has no curl.
const path = process.argv[2] ?? '/healthz'
const scheme = process.env.SERVER_TLS_CERT || process.env.SERVER_TLS_CERT_FILE ? 'https' : 'http'
const port = process.env.ADMIN_PORT ?? process.env.INTERNAL_PORT
const response = await fetch(`${scheme}://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(4_000) })
process.exitCode = response.status === 200 ? 0 : 1
