import { setImmediate } from "node:timers/promises";
import { compareValues } from "../language/compare-values.ts";
import type { Value } from "../language/values.ts";
import type { Block, Conflict, TextRange, Unit } from "../shared/types.ts";
import { unitsIn } from "../text/units.ts";
import { type Comparison, compareFacts } from "./compare-facts.ts";
import { type FactSource, type Precedence, toConflict } from "./conflicts.ts";
import { createFactReader, type Fact, type FactWords, isStatement, mayHoldValue, mayTurn } from "./facts.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { holds, otherTwins, sharedWeight, shareSaid, strangeName, TELLING_TITLE } from "./same-subject.ts";

/** Two statements of a corpus that differ. */
export interface Finding {
  readonly difference: Extract<Comparison, { type: "differ" }>;
  readonly a: Stated;
  readonly b: Stated;
}

interface Stated {
  /** Place among the statements of the corpus. */
  readonly at: number;
  readonly documentId: string;
  readonly fact: Fact;
}

/** Findings that one statement stands in: when it is corrected the others go with it. */
const LISTED = 2;
/** How much of what both sides share another statement must share to stand for one of them. */
const AS_MUCH = 0.8;

/** Least share of the words of each side that the other says too, where one of them is denied or turned: nobody asked what both would answer. */
const SAID_ALIKE = 0.8;

/** Statements of a page that say a word of its title, from which the word is what the page is about: "Leaflet" is not, "Barth syndrome" is. */
const ABOUT = 2;
/** Share of what each page is about, by weight, below which the other side does not speak of it. */
const SAME_PAGE = 0.5;

/**
 * What remains of findings when the whole corpus is looked at, most certain first. Gone is
 * - what pages say below titles of two things, neither of which the other side speaks of, however alike: "20 cases are known";
 * - a denial or opposite of what is said in other words: that both speak of the same is a guess there;
 * - a value that the other document gives too, for what is just as much the same;
 * - a difference that was listed before, between two other pages, and a statement that is listed already.
 * @param statementsOf every statement of a document
 */
export function siftFindings(findings: readonly Finding[], statementsOf: (documentId: string) => readonly Fact[]): Finding[] {
  const listed = new Set<string>();
  const times = new Map<number, number>();
  return [...findings]
    .sort((x, y) => y.difference.certainty - x.difference.certainty || x.a.at - y.a.at || x.b.at - y.b.at)
    .filter((finding) => {
      if (areOfTwoThings(finding, statementsOf)) return false;
      if (isValue(finding) ? isBorneOut(finding, statementsOf) : !isSaidAlike(finding)) return false;
      const key = [...valuesIn(finding)].sort().join("\n");
      const sides = [finding.a.at, finding.b.at];
      // A word that is denied here and affirmed there is no value: there the sentences tell.
      if ((listed.has(key) && isValue(finding)) || sides.some((at) => (times.get(at) ?? 0) >= LISTED)) return false;
      listed.add(key);
      for (const at of sides) times.set(at, (times.get(at) ?? 0) + 1);
      return true;
    });
}

function isValue({ difference: { kind } }: Finding): boolean {
  return kind === "value" || kind === "date";
}

function areOfTwoThings({ a, b }: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  if (namesSame(a.fact, b.fact) || namesSame(b.fact, a.fact)) return false;
  return isStrangeTo(a, b.fact, statementsOf) && isStrangeTo(b, a.fact, statementsOf);
}

/** Who names what is spoken of says so whatever the page is about: "the Harbour Strike lasted from …". */
function namesSame({ words }: Fact, { own }: Fact): boolean {
  return words.some(({ name, root }) => name && own.has(root));
}

/** Is a page about something that a fact of another page does not speak of: a name in its title, or most of what its title and statements say? */
function isStrangeTo({ documentId, fact }: Stated, other: Fact, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  if (strangeName(fact, other)) return true;
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.title) {
    if (weight < TELLING_TITLE || statementsOf(documentId).filter(({ own }) => own.has(root)).length < ABOUT) continue;
    all += weight;
    if (holds(other, root) > 0) held += weight;
  }
  return all > 0 && held / all < SAME_PAGE;
}

function isSaidAlike({ difference, a, b }: Finding): boolean {
  return Math.min(shareSaid(a.fact, b.fact, difference.a), shareSaid(b.fact, a.fact, difference.b)) >= SAID_ALIKE;
}

function valuesIn({ difference, a, b }: Finding): [string, string] {
  const textOf = ({ fact }: Stated, { start, end }: { start: number; end: number }) => fact.piece.text.slice(start, end).toLowerCase();
  return [textOf(a, difference.a), textOf(b, difference.b)];
}

/** Does one of the documents also give the other's value, in a statement that shares as much with it? */
function isBorneOut(finding: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  const { difference, a, b } = finding;
  if (a.documentId === b.documentId) return false;
  const least = AS_MUCH * sharedWeight(a.fact, b.fact);
  const givesToo = ({ fact }: Stated, start: number, other: Stated) => {
    const amount = fact.amounts.find((one) => one.start === start);
    return (
      amount !== undefined &&
      statementsOf(other.documentId).some((statement) => gives(statement, amount) && sharedWeight(fact, statement) >= least)
    );
  };
  return givesToo(a, difference.a.start, b) || givesToo(b, difference.b.start, a);
}

function gives(fact: Fact, amount: Value): boolean {
  return fact.amounts.some((one) => compareValues(one, amount) === "equal");
}

/** What a scan needs of a document. */
export interface ScannedDocument extends Omit<FactSource, "sid"> {
  readonly text: string;
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
}

export type ScanEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly found: number }
  | {
      readonly type: "conflicts";
      readonly documents: number;
      readonly statements: number;
      readonly compared: number;
      readonly conflicts: readonly Conflict[];
    };

export interface ScanOptions {
  readonly total: number;
  readonly precedence: Precedence;
  readonly signal: AbortSignal;
}

/** Rarest tokens of a statement by which others about the same are looked up. */
const KEY_TOKENS = 8;
/** Statements of one token that are looked at, the latest: a token of more tells little. This bounds the work for each statement. */
const POSTINGS = 250;
/** Tokens that two statements must share before they are compared, and how many are compared with one at most. */
const SHARED_TOKENS = 2;
const CANDIDATES = 24;
interface Stored {
  readonly piece: Piece;
  readonly source: Omit<FactSource, "sid">;
  readonly value: boolean;
  readonly turn: boolean;
}

/**
 * Every contradiction between statements of a corpus, most certain first. Statements are looked up by the rare words that they share, so time
 * grows with the number of statements, not with its square.
 * @throws whatever `signal` was aborted with
 */
export async function* scanConflicts(
  documents: AsyncIterable<ScannedDocument>,
  words: FactWords,
  { total, precedence, signal }: ScanOptions,
): AsyncGenerator<ScanEvent, void> {
  const reader = createFactReader();
  const stored: Stored[] = [];
  const postings = new Map<string, number[]>();
  const seen = new Set<string>();
  const findings: Finding[] = [];
  let done = 0;
  let compared = 0;
  for await (const document of documents) {
    signal.throwIfAborted();
    const { id, version, title, url, asOf, authority } = document;
    const source = { id, version, title, url, asOf, authority };
    const textOf = ({ start, end }: TextRange) => document.text.slice(start, end);
    for (const piece of piecesOf({ title: document.title, units: unitsIn(document), blocks: document.blocks, textOf })) {
      const spelled = piece.text.toLowerCase().replaceAll(/\s+/g, " ");
      const key = piece.type === "table-row" ? [document.title, ...piece.above, spelled].join("\n") : spelled;
      if (!isStatement(piece.text) || seen.has(key)) continue;
      seen.add(key);
      const tokens = keyTokens(piece, words);
      if (tokens.length < SHARED_TOKENS) continue;
      const one = { piece, source, value: mayHoldValue(piece.text), turn: mayTurn(piece.text) };
      for (const at of candidatesOf(tokens, postings, (other) => isWorthComparing(one, stored[other] as Stored))) {
        const other = stored[at] as Stored;
        compared++;
        const [a, b] = [reader.read(other.piece, words), reader.read(piece, words)];
        const difference = otherTwins(a, b) ? null : compareFacts(a, b);
        if (difference?.type !== "differ") continue;
        findings.push({
          difference,
          a: { at, documentId: other.source.id, fact: a },
          b: { at: stored.length, documentId: id, fact: b },
        });
      }
      for (const token of tokens) {
        const list = postings.get(token);
        if (list === undefined) postings.set(token, [stored.length]);
        else if (list.length < POSTINGS) list.push(stored.length);
        else list[stored.length % POSTINGS] = stored.length;
      }
      stored.push(one);
    }
    done++;
    // Documents come from memory: without a pause nobody could cancel.
    await setImmediate();
    yield { type: "progress", done, total, found: findings.length };
  }
  const sideOf = ({ at, fact }: Finding["a"], sid: string) => ({ fact, source: { ...(stored[at] as Stored).source, sid } });
  const conflicts = siftFindings(
    findings,
    statementsBy(stored, (piece) => reader.read(piece, words)),
  ).map(({ difference, a, b }) => toConflict(difference, sideOf(a, "A"), sideOf(b, "B"), precedence));
  yield { type: "conflicts", documents: done, statements: stored.length, compared, conflicts };
}

/** Statements of a document, read when first asked for. */
function statementsBy(stored: readonly Stored[], read: (piece: Piece) => Fact): (documentId: string) => readonly Fact[] {
  const known = new Map<string, readonly Fact[]>();
  return (documentId) => {
    const facts = known.get(documentId) ?? stored.flatMap(({ piece, source }) => (source.id === documentId ? [read(piece)] : []));
    known.set(documentId, facts);
    return facts;
  };
}

/** Numbers differ where statements conflict; telephone numbers and forms say what they are about. */
const PLAIN_NUMBER = /^[^-]*\d[^-]*$/;

/** The rarest words of a statement. */
function keyTokens({ text }: Piece, words: FactWords): string[] {
  return [...new Set(words.tokens(text))]
    .filter((token) => !PLAIN_NUMBER.test(token))
    .map((token) => ({ token, idf: words.idf(token) }))
    .sort((a, b) => b.idf - a.idf)
    .slice(0, KEY_TOKENS)
    .map(({ token }) => token);
}

/** Statements that share most of the tokens, most first. */
function candidatesOf(
  tokens: readonly string[],
  postings: ReadonlyMap<string, readonly number[]>,
  accepts: (at: number) => boolean,
): number[] {
  const shared = new Map<number, number>();
  for (const token of tokens) for (const at of postings.get(token) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  return [...shared]
    .filter(([at, count]) => count >= SHARED_TOKENS && accepts(at))
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, CANDIDATES)
    .map(([at]) => at);
}

/** Of two documents, where both give a value or one of them turns something. */
function isWorthComparing(a: Stored, b: Stored): boolean {
  if (!(a.value && b.value) && !a.turn && !b.turn) return false;
  // In one document, what stands under another heading is about another thing, and parts of one section belong together.
  return a.source.id !== b.source.id;
}
