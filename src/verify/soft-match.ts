/** Each term counts as much as its nearest word in the text (late interaction: Khattab & Zaharia, SIGIR 2020, with static vectors). */
export function soft(match: Float32Array, terms: readonly { readonly weight: number }[]): number {
  return terms.reduce((sum, { weight }, i) => sum + weight * (match[i] ?? 0), 0);
}
