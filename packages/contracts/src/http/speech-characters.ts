/** Unicode code points, as prices and limits count them. */
export function countCharacters(text: string): number {
  let characters = 0
  for (const _ of text) characters += 1
  return characters
}
