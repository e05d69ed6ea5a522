import { documentOrders } from "../guard/injection.ts";
import { compareValues } from "../language/compare-values.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PageText } from "../models/web-page.ts";
import { SUPPORT_BANDS } from "../profiles/guards.ts";
import type { Passage, WebVerdict } from "../shared/types.ts";
import { unitsIn } from "../text/units.ts";
import { compareFacts } from "./compare-facts.ts";
import {
  type Fact,
  type FactReader,
  type FactWords,
  isStatement,
  mayDeny,
  mayHoldValue,
  type Piece,
  type PieceTokens,
  piecesOf,
} from "./facts.ts";

/** Maximum number of sentences of a passage to verify. */
const MOST_STATEMENTS = 3;
/** Minimum share of the question's words in such a sentence, and the factor for a word in its headings. */
const LEAST_SHARE = 0.2;
const ABOVE = 0.5;
/** Maximum number of sentences of a page to compare, those with the most shared words. */
const MOST_PIECES = 80;
/** Maximum number of sentences to score for support, per claim. */
const MOST_SCORED = 3;
/**
 * Minimum weighted share of the claim's words in such a sentence and its headings. The score alone accepts some
 * unrelated sentences as paraphrases.
 */
const LEAST_HELD = 0.5;

/** Matches digits with inner punctuation: `10-564-D`, `4.25`. */
const NUMBER = /\d[\p{L}\p{N}]*(?:[.,:-][\p{L}\p{N}]+)*/gu;

export interface CompareWithPageParts {
  readonly words: FactWords;
  readonly reader: FactReader;
  /** `null`: only values, negations and conditions are compared. */
  readonly support: Pick<SupportScorer, "score"> | null;
}

/** Result of comparing a page with a passage. */
export interface PageComparison {
  readonly verdict: Exclude<WebVerdict, "silent">;
  readonly claim: string;
  readonly quote: string;
}

/**
 * Returns the sentences of a passage with the largest weighted share of the question's words, including their headings.
 * Sentences without a value, negation or opposite cannot be verified.
 */
export function statementsOf(
  passage: Passage,
  asked: readonly string[],
  { words, reader }: Pick<CompareWithPageParts, "words" | "reader">,
): Fact[] {
  const weights = new Map(asked.map((token) => [token, words.idf(token)]));
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const share = ({ own, around }: PieceTokens) => {
    const over = around();
    let held = 0;
    for (const [token, weight] of weights) held += own.has(token) ? weight : over.some((tokens) => tokens.has(token)) ? ABOVE * weight : 0;
    return all === 0 ? 0 : held / all;
  };
  return reader
    .piecesOf(passage, words)
    .filter(({ piece }) => isStatement(piece.text) && (mayHoldValue(piece.text) || mayDeny(piece.text)))
    .map((one) => ({ piece: one.piece, share: share(one) }))
    .filter((one) => one.share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_STATEMENTS)
    .map(({ piece }) => reader.read(piece, words));
}

/**
 * Decides whether a page supports or contradicts a passage. Each claim counts with its most certain comparison, and one
 * contradicted claim outweighs supported ones. Imperative sentences are not compared. Returns `null` if the page does
 * not address the claims.
 */
export async function compareWithPage(
  statements: readonly Fact[],
  page: PageText,
  { words, reader, support }: CompareWithPageParts,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const facts = nearestPieces(statements, page, words).map((piece) => reader.read(piece, words));
  const isContradicted = ({ verdict }: Pick<PageComparison, "verdict">) => Number(verdict === "contradicted");
  const comparisons = statements.flatMap((statement) => {
    const compared = facts.flatMap((fact) => {
      const comparison = compareFacts(statement, fact);
      if (comparison === null || (comparison.type === "agree" && !holdsValues(statement, fact))) return [];
      const verdict = comparison.type === "agree" ? ("confirmed" as const) : ("contradicted" as const);
      return [{ verdict, claim: statement.piece.text, quote: fact.piece.text, certainty: comparison.certainty }];
    });
    // Of two equally certain comparisons of one claim, the agreement counts.
    return compared.sort((a, b) => b.certainty - a.certainty || isContradicted(a) - isContradicted(b)).slice(0, 1);
  });
  const [found] = comparisons.sort((a, b) => isContradicted(b) - isContradicted(a) || b.certainty - a.certainty);
  if (found !== undefined) return { verdict: found.verdict, claim: found.claim, quote: found.quote };
  return support === null ? null : await supportedBy(statements, facts, words, support, signal);
}

/**
 * Falls back to the entailment score if the wording differs too much for rules. A sentence with the same values as the
 * claim may support it. It never contradicts, because similar sentences may be about something else.
 */
async function supportedBy(
  statements: readonly Fact[],
  facts: readonly Fact[],
  words: FactWords,
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const pairs = statements.flatMap((statement) =>
    nearestFacts(statement, facts, words).map(({ piece }) => ({
      claim: statement.piece.text,
      evidence: [{ text: piece.text, above: [piece.title, ...piece.above] }],
    })),
  );
  const scored = pairs.length === 0 ? [] : await support.score(pairs, { signal });
  const chances = scored.map((one) => one?.score ?? 0);
  const best = Math.max(0, ...chances);
  const pair = best >= SUPPORT_BANDS.unclear ? pairs[chances.indexOf(best)] : undefined;
  return pair === undefined ? null : { verdict: "confirmed", claim: pair.claim, quote: pair.evidence[0]?.text ?? "" };
}

/** Returns the sentences with the largest weighted overlap with a claim that could support it. */
function nearestFacts(statement: Fact, facts: readonly Fact[], words: FactWords): Fact[] {
  const wanted = new Set(words.tokens(statement.piece.text));
  const weigh = (tokens: Iterable<string>) =>
    [...new Set(tokens)].reduce((sum, token) => sum + (wanted.has(token) ? words.idf(token) : 0), 0);
  const least = LEAST_HELD * weigh(wanted);
  return facts
    .filter((fact) => holdsValues(statement, fact) && !givesMore(statement, fact))
    .filter(({ piece }) => weigh(words.tokens([piece.text, ...piece.above].join("\n"))) >= least)
    .map((fact) => ({ fact, weight: weigh(words.tokens(fact.piece.text)) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_SCORED)
    .map(({ fact }) => fact);
}

/**
 * Checks whether a sentence or its headings give each value and each number of a claim. A bound that merely allows a
 * value is not enough.
 */
function holdsValues({ amounts, piece }: Fact, other: Fact): boolean {
  const given = [...other.amounts, ...other.amountsAbove()];
  const numbers = new Set<string>([other.piece.text, ...other.piece.above].join(" ").match(NUMBER));
  return (
    amounts.every((amount) => given.some((one) => compareValues(amount, one) === "equal")) &&
    [...piece.text.matchAll(NUMBER)].every(
      ({ 0: number, index }) => numbers.has(number) || amounts.some(({ start, end }) => index >= start && index < end),
    )
  );
}

/**
 * Checks whether a sentence gives further values of a kind in the claim. The words alone then do not show which one is
 * meant.
 */
function givesMore({ amounts }: Fact, other: Fact): boolean {
  return other.amounts.some(
    (one) => amounts.some(({ kind }) => kind === one.kind) && !amounts.some((amount) => compareValues(amount, one) === "equal"),
  );
}

/** Returns the sentences and rows of a page with the largest weighted overlap with the claims, best first. */
function nearestPieces(statements: readonly Fact[], page: PageText, words: FactWords): Piece[] {
  const wanted = new Map(statements.flatMap(({ piece }) => words.tokens(piece.text)).map((token) => [token, words.idf(token)] as const));
  const weigh = (piece: Piece) => {
    let weight = 0;
    for (const token of new Set(words.tokens(piece.text))) weight += wanted.get(token) ?? 0;
    return weight;
  };
  const { title, text, blocks } = page;
  return piecesOf({ title, units: unitsIn(page), blocks, textOf: ({ start, end }) => text.slice(start, end) })
    .filter((piece) => isStatement(piece.text))
    .map((piece) => ({ piece, weight: weigh(piece) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_PIECES)
    .flatMap(({ piece }) => (documentOrders(piece.text).length === 0 ? [piece] : []));
}
