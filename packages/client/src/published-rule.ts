import { canonical, sha256Hex } from '@turnpike/contracts'
import { IMAGE_TOKENS } from './image-tokens.ts'
import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'

/** What GET answers here is the RFC 8785 text of the tables, and its SHA-256 is the last part of the path: it never changes. */
export const INPUT_TOKEN_TABLES_TEXT = canonical(INPUT_TOKEN_TABLES)
export const INPUT_TOKEN_TABLES_SHA256 = sha256Hex(INPUT_TOKEN_TABLES_TEXT)
export const INPUT_TOKEN_TABLES_PATH = `/v1/pricing/input-token-tables/${INPUT_TOKEN_TABLES_SHA256}`

/** The whole rule as it stands in every text entry of GET /v1/pricing; people read docs/token-estimate.md. */
export const INPUT_TOKEN_ESTIMATE = {
  version: 2,
  unit: 'tokens',
  tables: { path: INPUT_TOKEN_TABLES_PATH, sha256: INPUT_TOKEN_TABLES_SHA256 },
  total:
    'per_request + per_message × messages + the tokens of every text + the tokens of the RFC 8785 text of every JSON value + the tokens of every image. Texts, JSON values and images are counted one by one; nothing else counts. A request that is refused has no estimate.',
  per_request: 8,
  per_message: 8,
  counted: {
    messages: 'the entries of messages; on /v1/messages one more when there is a system that is not null, "" or []',
    texts: [
      'every content string; the text of every text part or block, the refusal of every refusal part; of system and of tool results too',
      'the tool name of every tool call and of every tool_use block, once more than in its JSON value: the model reads it again with the result',
      'every thought signature that is sent back (extra_content.google.thought_signature of a tool call, thought_signature of a tool_use block)',
    ],
    json: [
      'chat: {"arguments": the arguments parsed as JSON, or {} when there is nothing but white space (ECMAScript) in them, "name"} of every tool call; {"description", "name", "parameters"} of every tool; {"description", "schema"} of a response_format of type json_schema',
      'messages: {"input", "name"} of every tool_use block; {"description", "input_schema", "name"} of every tool',
      'members that are absent or null in the request are absent here; what is inside of them counts as it is sent, null too',
    ],
    images:
      'every image part or block, of tool results too; pixels as the header of the file says (of a WebP that begins with VP8X: its canvas)',
  },
  text: {
    characters:
      'Unicode code points; half a surrogate pair is a symbol that is not known and has three bytes. A letter is A-Z, a-z or a code point of tables.letter_ranges (hexadecimal, first-last, both included). A symbol is every code point that is no letter, no digit 0-9, no space U+0020, no tab U+0009 and no newline U+000A. A character is known when its bit is set in tables.known_characters: by block (hexadecimal code point / 256), 256 bits; in every bit field of the tables bit n is bit n mod 8, the lowest first, of byte n / 8 (rounded down), two hexadecimal digits a byte.',
    cut: 'From left to right into the longest runs: spaces, tabs, newlines, letters, symbols; a digit stands alone. A run of exactly one space before letters or symbols belongs to them: they are then "after a space".',
    digit: '1',
    blanks: 'ceil(characters / 31) for a run of spaces (one that belongs to nothing), of tabs, or of newlines',
    letters: [
      'Only A-Z and a-z: cut before every capital that follows a small letter. Only the first part can be after a space. Each part costs what it costs alone; each cut costs as much as the dearest entry of tables.joins that fits: written with its own one change from a small to a capital letter at the cut, it stands in the run. No entry fits: 0.',
      'A part whose lower case is in tables.words and that is all small, a capital and then only small, or all capitals (two at least): one digit of its group. The digits are, in this order: small after a space, small, capitalised after a space, capitalised, all capitals after a space, all capitals.',
      'A run with any other letter is not cut. When it is in tables.other_words as it stands: the first digit of its group after a space, the second otherwise.',
      'Everything else: the most pieces.',
    ],
    symbols: [
      'A run that is in tables.symbols: the first digit of its group after a space, the second otherwise.',
      'Else a run of one and the same symbol, once or more, that is in a group of tables.repeated_symbols: ceil(characters / the number of the group), 1 more after a space.',
      'Everything else: the most pieces.',
    ],
    most_pieces: [
      'Of the run or part, with its space in front when it is after a space. A character that is not known costs its bytes of UTF-8 and parts the rest; what stands between such characters is counted by itself.',
      'The largest number of pieces into which the stretch can be cut, where a piece is one character, or two that are a pair, or any three or more; and where no two neighbouring pieces are a pair of single characters, or one single character and a pair (in either order) that together are a triple.',
      'Pair: both of the space, a-z and A-Z, the second no space: bit i × 52 + j of tables.letter_pairs, with i = 0 for the space, 1-26 for a-z, 27-52 for A-Z, and j = 0-25 for a-z, 26-51 for A-Z. Any other: it is one of tables.pairs, which are two characters each, written one after the other.',
      'Triple: the first as above, the others a-z only: bit (i × 26 + j) × 26 + k of tables.letter_triples. Nothing else is a triple.',
      'Linear: for each position keep the largest count when the last piece is one, two, or at least three characters long. The last of these starts from the best of every position three or more back, not of the third alone: the count can fall from one position to the next.',
    ],
    groups:
      'tables.words, other_words, symbols and joins: the name of a group is what its entries cost (one digit per case), the entries stand with one space between. tables.repeated_symbols: the symbols of a group stand one after the other.',
  },
  image: {
    ...IMAGE_TOKENS,
    rule: 'By https URL: by_url_tokens. Otherwise the larger of least_tokens and tile_tokens × tiles. tiles = 1 when neither side is longer than one_tile_up_to_px. Else: a longer side above longest_side_px becomes longest_side_px, and the shorter one ceil(shorter × longest_side_px / longer); tile = floor(shorter × 2 / 3), at least smallest_tile_px, at most largest_tile_px; tiles = ceil(longer / tile) × ceil(shorter / tile).',
  },
} as const
