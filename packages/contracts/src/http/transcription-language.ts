// CLDR's tables, which are the runtime's own, know every code of ISO 639-1 and the languages of 639-3 that anybody records.
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
/** Undetermined, several, none, not coded: no language that one could listen for. */
const NO_LANGUAGE = ['und', 'mul', 'zxx', 'mis']

/**
 * A language code of ISO 639-1 or 639-3 in the one spelling that the upstream is sent: `en` for EN, en and eng; `yue` where there are no
 * two letters. Undefined for anything else, tags with a region included.
 */
export function languageCodeOf(text: string): string | undefined {
  if (!/^[A-Za-z]{2,3}$/.test(text) || NO_LANGUAGE.includes(text.toLowerCase())) return undefined
  const { language } = new Intl.Locale(text)
  return names.of(language) === undefined ? undefined : language
}
