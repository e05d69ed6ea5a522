import { type TextReading, TOKEN_LENGTH } from "../reader/reader.ts";

/** How the tokens of a question find their like among those of a piece: cosines, −1 to 1, each of a token with the one most like it. */
export interface TokenMatch {
  /** Mean over the question's tokens. */
  readonly mean: number;
  /** The token of the question that finds least. */
  readonly least: number;
  /** Mean of the half of the question's tokens that find least. */
  readonly lower: number;
  /** Mean over the piece's tokens, each with the question's most like it. */
  readonly back: number;
}

/** Tokens of a question that are looked for: behind them a long message tells little of what is asked, and all of them against a long piece would hold up others. */
const ASKED_TOKENS = 64;

/**
 * Late interaction of question and piece (Khattab & Zaharia, SIGIR 2020, section 3.2: MaxSim), of the states that the reader's cosine is made of: what a single
 * vector passes over, a part of the question that the piece says nothing of, lies low here. Of a question the first 64 tokens are looked for.
 * @returns `null` where one of the two has no token
 */
export function matchTokens(asked: TextReading, piece: TextReading): TokenMatch | null {
  const size = asked.vector.length;
  const rows = Math.min(asked.tokens.length / size, ASKED_TOKENS);
  const columns = piece.tokens.length / size;
  if (rows === 0 || columns === 0) return null;
  const found = new Float64Array(rows).fill(Number.NEGATIVE_INFINITY);
  const back = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const cosine = product(asked.tokens, row * size, piece.tokens, column * size, size) / TOKEN_LENGTH ** 2;
      found[row] = Math.max(found[row] as number, cosine);
      back[column] = Math.max(back[column] as number, cosine);
    }
  }
  found.sort();
  return {
    mean: mean(found),
    least: found[0] as number,
    lower: mean(found.subarray(0, Math.max(1, Math.floor(rows / 2)))),
    back: mean(back),
  };
}

function product(a: Int8Array, from: number, b: Int8Array, at: number, size: number): number {
  let sum = 0;
  for (let k = 0; k < size; k++) sum += (a[from + k] as number) * (b[at + k] as number);
  return sum;
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
