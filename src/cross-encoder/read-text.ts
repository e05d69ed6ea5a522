import { plainLetters } from "../text/normalise.ts";
import { createWordpiece } from "../text/wordpiece.ts";
import type { PairReading, ReadingOf, ToRead } from "./reader.ts";
import { piecesOf, type ReaderWeights } from "./weights.ts";

/** Maximum tokens of a text, including [CLS] and [SEP]. The rest is cut. */
export const MAX_TOKENS = 256;
/** Maximum tokens of a pair, and of its question, as in training (`lab/train/reader`). */
export const MAX_PAIR_TOKENS = 176;
export const MAX_QUESTION_TOKENS = 48;

/** Scores one text or pair at a time in the calling thread. */
export type ReadText = <Read extends ToRead>(read: Read) => ReadingOf<Read>;

/** @param run the forward pass over these weights */
export function createReadText(weights: ReaderWeights, run: (ids: Int32Array) => PairReading): ReadText {
  const sequence = createSequenceBuilder(piecesOf(weights));
  return (read) => {
    const reading = run(sequence(read));
    // The heads are meaningful for pairs only.
    return (typeof read === "string" ? { vector: reading.vector } : reading) as ReadingOf<typeof read>;
  };
}

/** Returns a builder of token ids: [CLS] text [SEP], or [CLS] question [SEP] text [SEP]. */
export function createSequenceBuilder(pieces: readonly string[]): (read: ToRead) => Int32Array {
  const idOf = (piece: string) => {
    const id = pieces.indexOf(piece);
    if (id < 0) throw new Error(`the vocabulary has no token "${piece}"`);
    return id;
  };
  const wordpiece = createWordpiece(pieces, { piece: idOf("[UNK]") });
  const [start, separator] = [idOf("[CLS]"), idOf("[SEP]")];
  const tokens = (text: string, limit: number) => wordpiece.ids.slice(0, wordpiece.encode(plainLetters(text), limit));
  return (read) => {
    if (typeof read === "string") return Int32Array.from([start, ...tokens(read, MAX_TOKENS - 2), separator]);
    const question = tokens(read.question, MAX_QUESTION_TOKENS);
    const text = tokens(read.text, MAX_PAIR_TOKENS - 3 - question.length);
    return Int32Array.from([start, ...question, separator, ...text, separator]);
  };
}
