/** The source of a pattern that finds a text by its letters: nothing in it stands for anything else. */
export function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
