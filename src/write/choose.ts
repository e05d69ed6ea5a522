import type { Reranker } from "../models/reranker.ts";
import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import { dot } from "../reader/dot.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { repeatsQuestion } from "../text/normalize-question.ts";
import type { Evidence } from "../types.ts";
import { type Choice, type ChooserWeights, type MeasuredPiece, measurePiece, type ScoredPiece } from "./chooser-weights.ts";
import { type AskedQuestion, type PieceView, type QuoteWords, readAsked, viewPassage } from "./piece-view.ts";
import { type Piece, type PiecesOptions, piecesOf, textOf } from "./pieces.ts";
import { READ_PIECES, readPieces } from "./read-pieces.ts";

export interface ChooseOptions {
  /** Characters of one quote at most; longer units are not taken, never cut. */
  readonly maxCharacters: number;
  readonly reranker: Reranker | null;
  /** Vectors of texts, each of length 1; `null`: cosines are not measured. */
  readonly embed: ((texts: readonly string[]) => readonly Float32Array[]) | null;
  readonly weights: Pick<ChooserWeights, "piece" | "read">;
  /** `null`: nothing is read, and what a glance says stands. */
  readonly read: ReadTexts | null;
  /** Pieces that are read at most. @default READ_PIECES */
  readonly mostRead?: number;
  /** Pieces that answer nothing, whatever they say. @default none */
  readonly isLeftOut?: (view: PieceView) => boolean;
  readonly signal: AbortSignal;
}

/** Units of one passage looked at, those of its best window first: hostile documents are one long list. */
const MAX_PIECES = 120;
/** Pieces that the reranker compares with the question, best by words first: it takes 10 to 20 µs for each. */
const RERANKED = 160;

/** Passages looked at. */
const PASSAGES = 8;

/** Every piece of the evidence beside the question, best first: all at a glance, then the best of them read. */
export async function choosePieces(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  options: ChooseOptions,
): Promise<Choice> {
  const measured = await measurePieces(question, evidence, words, options);
  const { weights, read, mostRead = READ_PIECES, isLeftOut = () => false, signal } = options;
  const { piece: scorer } = weights;
  const pieces = measured.pieces
    .filter(({ view }) => !repeatsQuestion(view.text, question) && !isLeftOut(view))
    .map((piece) => {
      const score = scoreOf(measurePiece(piece, scorer.features), scorer);
      return { view: piece.view, measured: piece, score, chance: chanceOfScore(score, scorer), reading: null };
    });
  const sorted = pieces.sort((a, b) => b.score - a.score || a.view.rank - b.view.rank || startOf(a) - startOf(b));
  const glanced = { asked: measured.asked, pieces: sorted, glance: null, followingChance: null };
  return read === null ? glanced : readPieces(question, glanced, { weights, readTexts: read, most: mostRead, signal });
}

function startOf({ view }: ScoredPiece): number {
  return view.piece.range.start;
}

/** How passages are cut into pieces for a question. */
export function pieceCut(type: AskedQuestion["type"], maxCharacters: number): PiecesOptions {
  return { maxCharacters, maxPieces: MAX_PIECES, wholeLists: isForList(type) };
}

function isForList(type: AskedQuestion["type"]): boolean {
  return type === "list" || type === "how-do-i";
}

/** What the chooser learns from and what it chooses by. */
export async function measurePieces(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  { maxCharacters, reranker, embed, signal }: Omit<ChooseOptions, "weights" | "read" | "mostRead" | "isLeftOut">,
): Promise<{ readonly asked: AskedQuestion; readonly pieces: readonly MeasuredPiece[] }> {
  const asked = readAsked(question, words);
  const wantsList = isForList(asked.type);
  const looked = evidence.slice(0, PASSAGES);
  const cut = pieceCut(asked.type, maxCharacters);
  const views = looked.map((one, rank) => viewPassage(withoutQuestion(piecesOf(one.passage, cut), one, question), one, rank, asked));
  const relevances = await relevanceOf(question, views.flat(), words, reranker, signal);
  const cosines = cosinesOf(question, views.flat(), embed);
  const best = {
    own: Math.max(0, ...views.flat().map(({ own }) => own)),
    whole: Math.max(0, ...views.flat().map(({ own, fromHeading, fromTitle }) => own + fromHeading + fromTitle)),
    over: Math.max(0, ...views.flat().map(({ over }) => over)),
    relevance: most([...relevances.values()]),
    cosine: most([...cosines.values()].map(({ headed }) => headed)),
    rerank: most(looked.map(({ passage }) => passage.scores.rerank)),
  };
  const pieces = views.flatMap((own) =>
    own.map((view, k) => ({
      view,
      wantsList,
      wantsValue: asked.values.length > 0,
      relevance: relevances.get(view) ?? null,
      cosine: cosines.get(view) ?? null,
      beside: Math.max(own[k - 1]?.own ?? 0, own[k + 1]?.own ?? 0),
      best,
    })),
  );
  return { asked, pieces };
}

/** Pieces without the question itself before them, where it is what they stand below: who asked it need not read it. */
function withoutQuestion(pieces: readonly Piece[], { passage }: Evidence, question: string): Piece[] {
  return pieces.map((piece) => {
    const context = piece.context.filter((range) => !repeatsQuestion(textOf(passage, range), question));
    return context.length === piece.context.length ? piece : { ...piece, context };
  });
}

async function relevanceOf(
  question: string,
  views: readonly PieceView[],
  words: QuoteWords,
  reranker: Reranker | null,
  signal: AbortSignal,
): Promise<Map<PieceView, number>> {
  if (reranker === null || views.length === 0) return new Map();
  const first = [...views].sort((a, b) => b.own + b.fromHeading - (a.own + a.fromHeading) || a.rank - b.rank).slice(0, RERANKED);
  const passages = first.map(({ evidence, piece, text }) => ({ title: evidence.passage.document.title, section: piece.heading, text }));
  const chances = await reranker.rerank(question, passages, { signal, idf: (token) => words.idf(token) });
  return new Map(first.flatMap((view, i) => (chances[i] === null || chances[i] === undefined ? [] : [[view, chances[i]] as const])));
}

/** Cosines of the question with every piece, alone and below title and headings. */
function cosinesOf(
  question: string,
  views: readonly PieceView[],
  embed: ChooseOptions["embed"],
): Map<PieceView, { own: number; headed: number }> {
  if (embed === null || views.length === 0) return new Map();
  const above = ({ evidence, piece }: PieceView) => [evidence.passage.document.title, piece.above].filter((part) => part !== "").join("\n");
  const texts = [question, ...views.map(({ text }) => text), ...views.map((view) => `${above(view)}\n${view.text}`)];
  const [asked, ...vectors] = embed(texts) as [Float32Array, ...Float32Array[]];
  const cosine = (i: number) => dot(asked, vectors[i] as Float32Array);
  return new Map(views.map((view, i) => [view, { own: cosine(i), headed: cosine(views.length + i) }]));
}

function most(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((best, value) => (value === null ? best : best === null ? value : Math.max(best, value)), null);
}
