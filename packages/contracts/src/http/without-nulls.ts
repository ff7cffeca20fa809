/**
 * A copy without the members that are null: OpenAI's clients write null for what is absent. The null of a member in `except` stays: it is
 * a mistake, and is reported as one.
 */
export function withoutNulls(record: { [field: string]: unknown }, except: readonly string[] = []): { [field: string]: unknown } {
  const kept = { ...record }
  for (const field of Object.keys(kept)) if (kept[field] === null && !except.includes(field)) delete kept[field]
  return kept
}
