/** An expected failure, told to the person at the terminal in one sentence. Anything else that is thrown is a defect. */
export class StackFailure extends Error {
  override readonly name = 'StackFailure'
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
