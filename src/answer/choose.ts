import { linearPartsOf } from "../models/weights/scorer.ts";
import type { Profile } from "../profiles/profile.ts";
import type { RetrieveParts } from "../retrieve/retrieve.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Evidence, Question } from "../types.ts";
import type { Choice, ScoredPiece } from "../write/choice.ts";
import { choosePieces } from "../write/choose.ts";
import type { ChooserWeights } from "../write/chooser-weights.ts";
import { measurePiece } from "../write/piece-features.ts";
import type { ReadTexts } from "../write/read-pieces.ts";
import { measureReading } from "../write/reading-features.ts";
import { wordsFor } from "./question-words.ts";
import type { StageLog } from "./trace.ts";

export interface ChooserParts {
  readonly weights: ChooserWeights;
  /** Vectors of texts by the encoder that the weights were learned with. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  /** The reader that they were learned with; `null`: it is not there, and what a glance says stands. */
  readonly read: ReadTexts | null;
}

export interface ChooseParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  readonly rerankers?: RetrieveParts["rerankers"];
  /** Loaded when it is first asked. */
  readonly chooser: () => ChooserParts;
}

/** Characters of one quote in an answer; a longer sentence is not taken. */
const QUOTE_CHARACTERS = 1200;

/** Every sentence, list and row of the passages that may be used, the one that most likely answers first. */
export async function choose(
  { question, evidence }: { readonly question: Question; readonly evidence: readonly Evidence[] },
  parts: ChooseParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Choice> {
  const { weights, embed, read } = parts.chooser();
  const kept = mayBeUsed(evidence, parts.profile);
  const reranker = parts.rerankers?.embedded ?? null;
  const options = { maxCharacters: QUOTE_CHARACTERS, reranker, embed, read, weights, signal };
  const choice = await choosePieces(question.resolved, kept, wordsFor(question, parts), options);
  log.fact("chooser", weights.name);
  log.fact("pieces", choice.pieces.length);
  log.fact("read", choice.glance !== null);
  log.fact("best_piece", choice.pieces[0]?.chance ?? null);
  log.fact(
    "first",
    choice.pieces
      .slice(0, TOLD)
      .map((piece) => tell(piece, weights))
      .join("\n") || null,
  );
  return choice;
}

/** Pieces that the log tells of, and of each the features that add most to its score. */
const TOLD = 10;
const MOST = 4;
const TOLD_CHARACTERS = 80;

/** A piece for who looks for the cause of an answer: its score, its reading, what weighed most, and how it begins. */
function tell({ score, reading, measured, view }: ScoredPiece, { piece, read }: ChooserWeights): string {
  const scorer = reading === null ? piece : read;
  const values = reading === null ? measurePiece(measured, scorer.features) : measureReading(measured, reading, scorer.features);
  const parts = linearPartsOf(values, scorer)
    .map((part, i) => ({ part, name: scorer.features[i] as string }))
    .sort((a, b) => Math.abs(b.part) - Math.abs(a.part))
    .slice(0, MOST)
    .map(({ part, name }) => `${name} ${part.toFixed(2)}`);
  const likeness = reading === null ? "not read" : `reading ${reading.toFixed(2)}`;
  return `${score.toFixed(2)} (${likeness}; ${parts.join(", ")}) ${view.text.slice(0, TOLD_CHARACTERS).replaceAll("\n", " ")}`;
}

/** The learned gate never answers from what is rejected; another gate may, where nothing is better, and what is not rejected comes first there. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const kept = evidence.filter(({ verdict }) => verdict !== "rejected");
  return gate.type === "sufficiency" ? kept : [...kept, ...evidence.filter(({ verdict }) => verdict === "rejected")];
}
