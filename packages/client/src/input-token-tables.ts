import tables from '../data/input-token-tables.json' with { type: 'json' }

/** The published tables: data/input-token-tables.json is served as it stands. Groups: what is paid, then the entries with one space between. */
export type InputTokenTables = {
  version: number
  words: Record<string, string>
  other_words: Record<string, string>
  symbols: Record<string, string>
  repeated_symbols: Record<string, string>
  joins: Record<string, string>
  letter_pairs: string
  letter_triples: string
  pairs: string
  known_characters: Record<string, string>
  letter_ranges: string
}

export const INPUT_TOKEN_TABLES: InputTokenTables = tables
