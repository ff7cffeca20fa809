/** JSON in UTF-8 is taken; no content type is fine for an empty body only (the inspection case). */
export function takesJson(contentType: string | undefined, isEmpty: boolean): boolean {
  if (contentType === 'application/json') return true // nearly every one
  if (contentType === undefined || contentType.trim() === '') return isEmpty
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json') return false
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replace(/^"|"$/g, '')
  return charset === undefined || charset === 'utf-8' || charset === 'utf8'
}

const FORM = /^\s*multipart\/form-data\s*(?:;|$)/i

/** multipart/form-data; whether it names its boundary is for the reader of the form to find out. */
export function isForm(contentType: string): boolean {
  return FORM.test(contentType)
}
