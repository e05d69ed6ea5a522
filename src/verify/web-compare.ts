import { sameAmount } from "../language/amounts.ts";
import { documentOrders } from "../language/injection.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PageText } from "../models/web-page.ts";
import type { Passage, WebVerdict } from "../types.ts";
import { compareFacts } from "./compare-facts.ts";
import { isAbout } from "./compare-passages.ts";
import { type Fact, type FactReader, type FactWords, isStatement, type Piece, piecesOf } from "./facts.ts";

/** Statements of a passage that are looked up. */
const MOST_STATEMENTS = 8;
/** Sentences of a page that are laid beside them, those that share most words. */
const MOST_PIECES = 80;
/** Sentences that are scored for support, per statement. */
const MOST_SCORED = 3;
/** A learned score confirms only what it is nearly certain of, and only a statement whose every value stands in that sentence; our choice, uncalibrated. */
const LEAST_SUPPORT = 0.95;

export interface CompareWithPageParts {
  readonly words: FactWords;
  readonly reader: FactReader;
  /** `null`: only values, denials and conditions are compared. */
  readonly support: Pick<SupportScorer, "score"> | null;
}

/** What a page says of a passage. */
export interface PageComparison {
  readonly verdict: Exclude<WebVerdict, "silent">;
  readonly claim: string;
  readonly quote: string;
}

/** Statements of a passage about the question; all of it where none is. */
export function statementsOf(
  passage: Passage,
  asked: readonly string[],
  { words, reader }: Pick<CompareWithPageParts, "words" | "reader">,
): Fact[] {
  const weights = new Map(asked.map((token) => [token, words.idf(token)]));
  const all = reader.piecesOf(passage, words).filter(({ piece }) => isStatement(piece.text));
  const about = all.filter((one) => isAbout(one, weights));
  return (about.length > 0 ? about : all).slice(0, MOST_STATEMENTS).map(({ piece }) => reader.read(piece, words));
}

/**
 * Does a page bear a passage out, or say otherwise? For each statement the most certain comparison counts; one statement that is contradicted outweighs others
 * that are borne out. Sentences that give orders are not compared. `null`: the page does not speak of the same.
 */
export async function compareWithPage(
  statements: readonly Fact[],
  page: PageText,
  { words, reader, support }: CompareWithPageParts,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const facts = nearestPieces(statements, page, words).map((piece) => reader.read(piece, words));
  let confirmed: (PageComparison & { certainty: number }) | null = null;
  let contradicted: (PageComparison & { certainty: number }) | null = null;
  for (const statement of statements) {
    const best = { agree: { certainty: 0, quote: "" }, differ: { certainty: 0, quote: "" } };
    for (const fact of facts) {
      const comparison = compareFacts(statement, fact);
      if (comparison !== null && comparison.certainty > best[comparison.type].certainty)
        best[comparison.type] = { certainty: comparison.certainty, quote: fact.piece.text };
    }
    const { agree, differ } = best;
    const claim = statement.piece.text;
    if (agree.certainty > 0 && agree.certainty >= differ.certainty) {
      if (agree.certainty > (confirmed?.certainty ?? 0)) confirmed = { verdict: "confirmed", claim, ...agree };
    } else if (differ.certainty > (contradicted?.certainty ?? 0)) contradicted = { verdict: "contradicted", claim, ...differ };
  }
  const found = contradicted ?? confirmed;
  if (found !== null) return { verdict: found.verdict, claim: found.claim, quote: found.quote };
  return support === null ? null : await supportedBy(statements, facts, support, signal);
}

async function supportedBy(
  statements: readonly Fact[],
  facts: readonly Fact[],
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const pairs = statements.flatMap((statement) =>
    facts
      .filter((fact) => holdsValues(statement, fact))
      .slice(0, MOST_SCORED)
      .map((fact) => ({ claim: statement.piece.text, evidence: [fact.piece.text] })),
  );
  const scores = pairs.length === 0 ? [] : await support.score(pairs, { signal });
  const best = Math.max(0, ...scores.map((one) => one?.score ?? 0));
  const pair = best >= LEAST_SUPPORT ? pairs[scores.findIndex((one) => one?.score === best)] : undefined;
  return pair === undefined ? null : { verdict: "confirmed", claim: pair.claim, quote: pair.evidence[0] as string };
}

function holdsValues({ amounts }: Fact, other: Fact): boolean {
  return amounts.length > 0 && amounts.every((amount) => other.amounts.some((one) => sameAmount(amount, one)));
}

/** Sentences and rows of a page that share most words with the statements, by weight, best first. */
function nearestPieces(statements: readonly Fact[], { title, text, blocks, units }: PageText, words: FactWords): Piece[] {
  const wanted = new Map(statements.flatMap(({ piece }) => words.tokens(piece.text)).map((token) => [token, words.idf(token)] as const));
  const weigh = (piece: Piece) => {
    let weight = 0;
    for (const token of new Set(words.tokens(piece.text))) weight += wanted.get(token) ?? 0;
    return weight;
  };
  return piecesOf({ title, headingPath: [], units, blocks, textOf: ({ start, end }) => text.slice(start, end) })
    .filter((piece) => isStatement(piece.text))
    .map((piece) => ({ piece, weight: weigh(piece) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_PIECES)
    .flatMap(({ piece }) => (documentOrders(piece.text).length === 0 ? [piece] : []));
}
