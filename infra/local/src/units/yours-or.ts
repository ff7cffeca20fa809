/** A setting of a service, unless the caller's environment has another. */
export function yoursOr(name: string, value: string): string {
  return process.env[name] || value
}
