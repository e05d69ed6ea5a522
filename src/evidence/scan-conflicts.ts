import { setImmediate } from "node:timers/promises";
import type { Block, Conflict, TextRange, Unit } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { unitsIn } from "../text/units.ts";
import { areTitledApart, type Comparison, compareFacts, holds } from "./compare-facts.ts";
import { type FactSource, type Precedence, toConflict } from "./conflicts.ts";
import { createFactReader, type Fact, type FactWords, isStatement, mayDeny, mayHoldValue, type Segment, segmentsOf } from "./facts.ts";

/** Two contradicting sentences of a corpus. */
interface Finding {
  readonly difference: Extract<Comparison, { type: "differ" }>;
  readonly a: Stored;
  readonly b: Stored;
}

/** Maximum number of findings per sentence. Correcting the sentence resolves its other contradictions too. */
const LISTED = 2;
/**
 * A document is about a word of its title if at least this many of its sentences contain the word. A page titled
 * "Leaflet: Barth syndrome" is about "Barth syndrome", but not about "leaflet".
 */
const ABOUT = 2;
/** A sentence is related to a document if it contains at least this share, by weight, of the title words that the document is about. */
const SAME_PAGE = 0.5;
/** Title words with a lower weight are too common to name a subject. */
const TELLING_TITLE = 0.45;

/**
 * Returns the findings, most certain first, at most two per sentence. Leaves out sentences about different things,
 * however similar their wording: "20 cases are known" of two diseases.
 * @param statementsOf returns every sentence of a document
 */
function siftFindings(findings: readonly Finding[], statementsOf: (documentId: string) => readonly Fact[]): Finding[] {
  const times = new Map<Stored, number>();
  return findings
    .toSorted((x, y) => y.difference.certainty - x.difference.certainty || x.a.at - y.a.at || x.b.at - y.b.at)
    .filter((finding) => {
      const sides = [finding.a, finding.b];
      if (sides.some((side) => (times.get(side) ?? 0) >= LISTED) || areOfTwoThings(finding, statementsOf)) return false;
      for (const side of sides) times.set(side, (times.get(side) ?? 0) + 1);
      return true;
    });
}

/** Returns whether two sentences are about different things. A name in both, such as "the Harbour Strike", rules that out. */
function areOfTwoThings({ a, b }: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  const [one, other] = [a.fact(), b.fact()];
  if (one.words.some(({ name, root }) => name && other.own.has(root))) return false;
  return isUnrelatedTo(one, other, statementsOf(a.source.id)) && isUnrelatedTo(other, one, statementsOf(b.source.id));
}

/** Returns whether `other` lacks most of the title words that the document of `fact` is about. */
function isUnrelatedTo(fact: Fact, other: Fact, statements: readonly Fact[]): boolean {
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.title()) {
    if (weight < TELLING_TITLE || statements.filter(({ own }) => own.has(root)).length < ABOUT) continue;
    all += weight;
    if (holds(other, root) > 0) held += weight;
  }
  return all > 0 && held / all < SAME_PAGE;
}

/** Document data that a scan needs. */
export interface ScannedDocument extends Omit<FactSource, "sid"> {
  readonly text: string;
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
}

export type ScanEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly found: number }
  | ({ readonly type: "conflicts"; readonly conflicts: readonly Conflict[] } & Readonly<
      Record<"documents" | "statements" | "compared", number>
    >);

/** Number of rarest tokens of a sentence used to look up related sentences. */
const KEY_TOKENS = 8;
/**
 * Maximum number of sentences stored per token: the latest ones. This bounds the work per sentence and loses little,
 * because frequent tokens rarely show a common subject.
 */
const POSTINGS = 250;
/** Minimum number of tokens that two compared sentences share. `CANDIDATES` is the maximum number of comparisons per sentence. */
const SHARED_TOKENS = 2;
const CANDIDATES = 24;
interface Stored {
  /** Index of the sentence among all sentences of the corpus. */
  readonly at: number;
  readonly fact: () => Fact;
  readonly source: Omit<FactSource, "sid">;
  readonly value: boolean;
  readonly denial: boolean;
}

/**
 * Finds every contradiction between sentences of a corpus, most certain first. Sentences are looked up by shared rare
 * words, so time grows linearly with their number.
 * @throws the reason with which `signal` was aborted
 */
export async function* scanConflicts(
  documents: AsyncIterable<ScannedDocument>,
  words: FactWords,
  { total, precedence, signal }: { readonly total: number; readonly precedence: Precedence; readonly signal: AbortSignal },
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
    for (const segment of segmentsOf({ title: document.title, units: unitsIn(document), blocks: document.blocks, textOf })) {
      const spelled = segment.text.toLowerCase().replaceAll(/\s+/g, " ");
      const key = segment.type === "table-row" ? [document.title, ...segment.above, spelled].join("\n") : spelled;
      if (!isStatement(segment.text) || seen.has(key)) continue;
      seen.add(key);
      const tokens = keyTokens(segment, words);
      if (tokens.length < SHARED_TOKENS) continue;
      const says = { value: mayHoldValue(segment.text), denial: mayDeny(segment.text) };
      const one: Stored = { at: stored.length, fact: () => reader.read(segment, words), source, ...says };
      for (const at of candidatesOf(tokens, postings, (other) => isWorthComparing(one, stored[other] as Stored))) {
        const other = stored[at] as Stored;
        compared++;
        const [a, b] = [other.fact(), one.fact()];
        const difference = areTitledApart(a, b) ? null : compareFacts(a, b);
        if (difference?.type === "differ") findings.push({ difference, a: other, b: one });
      }
      for (const token of tokens) {
        const list = postings.get(token) ?? [];
        list.push(one.at);
        if (list.length > POSTINGS) list.shift();
        postings.set(token, list);
      }
      stored.push(one);
    }
    done++;
    // Let the event loop process a cancellation; the steps above may run without waiting for I/O.
    await setImmediate();
    yield { type: "progress", done, total, found: findings.length };
  }
  const sideOf = ({ fact, source }: Stored, sid: string) => ({ fact: fact(), source: { ...source, sid } });
  const statementsOf = memoised((documentId: string): readonly Fact[] =>
    stored.flatMap(({ fact, source }) => (source.id === documentId ? [fact()] : [])),
  );
  const conflicts = siftFindings(findings, statementsOf).map(({ difference, a, b }) =>
    toConflict(difference, sideOf(a, "A"), sideOf(b, "B"), precedence),
  );
  yield { type: "conflicts", documents: done, statements: stored.length, compared, conflicts };
}

/** Matches plain numbers, which may differ between conflicting sentences. Numbers with a hyphen, such as `HB-10`, do not match. */
const PLAIN_NUMBER = /^[^-]*\d[^-]*$/;

/** Returns the rarest tokens of a sentence that are not plain numbers. */
function keyTokens({ text }: Segment, words: FactWords): string[] {
  return [...new Set(words.tokens(text))]
    .filter((token) => !PLAIN_NUMBER.test(token))
    .sort((a, b) => words.idf(b) - words.idf(a))
    .slice(0, KEY_TOKENS);
}

/** Returns the sentences that share the most tokens, best first. */
function candidatesOf(tokens: readonly string[], postings: ReadonlyMap<string, readonly number[]>, accepts: (at: number) => boolean) {
  const shared = new Map<number, number>();
  for (const token of tokens) for (const at of postings.get(token) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  return [...shared]
    .filter(([at, count]) => count >= SHARED_TOKENS && accepts(at))
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, CANDIDATES)
    .map(([at]) => at);
}

/**
 * Returns whether two sentences are from different documents and either both contain a value or at least one contains a
 * negation.
 */
function isWorthComparing(a: Stored, b: Stored): boolean {
  if (!(a.value && b.value) && !a.denial && !b.denial) return false;
  // Skip pairs within one document: its sections are about different things, and the sentences of one section complement each other.
  return a.source.id !== b.source.id;
}
