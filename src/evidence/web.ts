import { documentOrders } from "../guard/injection.ts";
import { redactPersonalData } from "../guard/pii.ts";
import { compareValues } from "../language/compare-values.ts";
import { startDeadline } from "../models/adapters/call.ts";
import type { WebSearch } from "../models/adapters/web-search.ts";
import type { SupportScorer } from "../models/support.ts";
import { checkUrl, type FetchedPage, type PageText, type ReadPage } from "../models/web-page.ts";
import { SUPPORT_BANDS } from "../profiles/guards.ts";
import { messageOf } from "../shared/errors.ts";
import type { Evidence, Passage, Question, WebEvidence, WebPageEvidence } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { unitsIn } from "../text/units.ts";
import { compareFacts } from "./compare-facts.ts";
import {
  type Fact,
  type FactReader,
  type FactWords,
  isStatement,
  mayDeny,
  mayHoldValue,
  type PieceTokens,
  type Segment,
  segmentsOf,
} from "./facts.ts";

/** Maximum number of sentences of a passage to verify. */
const MOST_STATEMENTS = 3;
/** Minimum weighted share of the question's words in a sentence that is verified. A word that only its context contains counts `ABOVE`. */
const LEAST_SHARE = 0.2;
const ABOVE = 0.5;
/** Maximum number of sentences of a web page to compare. Sentences that share the most words with the claims are chosen. */
const MOST_PIECES = 80;
/** Maximum number of sentences per claim whose support is scored. */
const MOST_SCORED = 3;
/**
 * Support is scored only for sentences that, with their headings, contain at least this weighted share of the claim's
 * words. The score alone would accept some unrelated sentences as paraphrases.
 */
const LEAST_HELD = 0.5;

/** Matches digits with inner punctuation: `10-564-D`, `4.25`. */
const NUMBER = /\d[\p{L}\p{N}]*(?:[.,:-][\p{L}\p{N}]+)*/gu;

export interface CompareWithPageParts {
  readonly words: FactWords;
  readonly reader: FactReader;
  /** Scores support where rules find neither agreement nor conflict; `null`: only values, negations and conditions are compared. */
  readonly support: Pick<SupportScorer, "score"> | null;
}

/** Result of comparing a page with a passage. */
type PageComparison = Pick<WebPageEvidence, "verdict" | "claim" | "quote">;

/**
 * Returns the sentences of a passage that contain, with their headings, the largest weighted share of the question's
 * words. Leaves out sentences without a value or negation, because they cannot be verified.
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
    .segmentsOf(passage, words)
    .filter(({ segment }) => isStatement(segment.text) && (mayHoldValue(segment.text) || mayDeny(segment.text)))
    .map((one) => ({ segment: one.segment, share: share(one) }))
    .filter((one) => one.share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_STATEMENTS)
    .map(({ segment }) => reader.read(segment, words));
}

/**
 * Decides whether a page supports or contradicts a passage. For each claim, only the most certain comparison counts.
 * One contradicted claim outweighs all supported claims. Sentences that give orders to a model are not compared.
 * Returns `null` if the page says nothing about the claims.
 */
export async function compareWithPage(
  statements: readonly Fact[],
  page: PageText,
  { words, reader, support }: CompareWithPageParts,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const facts = nearestSegments(statements, page, words).map((segment) => reader.read(segment, words));
  const isContradicted = ({ verdict }: Pick<PageComparison, "verdict">) => Number(verdict === "contradicted");
  const comparisons = statements.flatMap((statement) => {
    const compared = facts.flatMap((fact) => {
      const comparison = compareFacts(statement, fact);
      if (comparison === null || (comparison.type === "agree" && !holdsValues(statement, fact))) return [];
      const verdict = comparison.type === "agree" ? ("confirmed" as const) : ("contradicted" as const);
      return [{ verdict, claim: statement.segment.text, quote: fact.segment.text, certainty: comparison.certainty }];
    });
    // If two comparisons of one claim are equally certain, prefer the one that agrees.
    return compared.sort((a, b) => b.certainty - a.certainty || isContradicted(a) - isContradicted(b)).slice(0, 1);
  });
  const [found] = comparisons.sort((a, b) => isContradicted(b) - isContradicted(a) || b.certainty - a.certainty);
  if (found !== undefined) return { verdict: found.verdict, claim: found.claim, quote: found.quote };
  return support === null ? null : await supportedBy(statements, facts, words, support, signal);
}

/**
 * Scores support by a learned scorer, for claims on which no sentence could be compared by rules. Scores only sentences
 * with the values of the claim. A low score does not contradict, because similar sentences may be about something else.
 */
async function supportedBy(
  statements: readonly Fact[],
  facts: readonly Fact[],
  words: FactWords,
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<PageComparison | null> {
  const pairs = statements.flatMap((statement) =>
    nearestFacts(statement, facts, words).map(({ segment }) => ({
      claim: statement.segment.text,
      evidence: [{ text: segment.text, above: [segment.title, ...segment.above] }],
    })),
  );
  const scored = pairs.length === 0 ? [] : await support.score(pairs, { signal });
  const probabilities = scored.map((one) => one?.score ?? 0);
  const best = Math.max(0, ...probabilities);
  const pair = best >= SUPPORT_BANDS.unclear ? pairs[probabilities.indexOf(best)] : undefined;
  return pair === undefined ? null : { verdict: "confirmed", claim: pair.claim, quote: pair.evidence[0]?.text ?? "" };
}

/** Returns the sentences that could support a claim: at most `MOST_SCORED`, those with the largest weighted word overlap. */
function nearestFacts(statement: Fact, facts: readonly Fact[], words: FactWords): Fact[] {
  const weigh = overlapWith([statement], words);
  const least = LEAST_HELD * weigh(statement.segment.text);
  return facts
    .filter((fact) => holdsValues(statement, fact) && !givesMore(statement, fact))
    .filter(({ segment }) => weigh([segment.text, ...segment.above].join("\n")) >= least)
    .map((fact) => ({ fact, weight: weigh(fact.segment.text) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_SCORED)
    .map(({ fact }) => fact);
}

/** Returns a function that sums the IDF of the words that a text shares with claims. */
function overlapWith(statements: readonly Fact[], words: FactWords): (text: string) => number {
  const wanted = new Set(statements.flatMap(({ segment }) => words.tokens(segment.text)));
  const sharedIn = (text: string) => [...new Set(words.tokens(text))].filter((token) => wanted.has(token));
  return (text) => sharedIn(text).reduce((sum, token) => sum + words.idf(token), 0);
}

/**
 * Checks whether a sentence or its headings contain each value and each number of a claim. A bound that merely includes
 * the value, such as "up to 10" for 5, does not count.
 */
function holdsValues({ amounts, segment }: Fact, other: Fact): boolean {
  const given = [...other.amounts, ...other.amountsAbove()];
  const numbers = new Set<string>([other.segment.text, ...other.segment.above].join(" ").match(NUMBER));
  return (
    amounts.every((amount) => given.some((one) => compareValues(amount, one) === "equal")) &&
    [...segment.text.matchAll(NUMBER)].every(
      ({ 0: number, index }) => numbers.has(number) || amounts.some(({ start, end }) => index >= start && index < end),
    )
  );
}

/**
 * Checks whether a sentence contains a value of the same kind as a value of the claim, but a different one. If so,
 * words alone do not show which of the sentence's values the claim means.
 */
function givesMore({ amounts }: Fact, other: Fact): boolean {
  return other.amounts.some(
    (one) => amounts.some(({ kind }) => kind === one.kind) && !amounts.some((amount) => compareValues(amount, one) === "equal"),
  );
}

/** Returns the sentences and rows of a page with the largest weighted overlap with the claims, best first. */
function nearestSegments(statements: readonly Fact[], page: PageText, words: FactWords): Segment[] {
  const weigh = overlapWith(statements, words);
  const { title, text, blocks } = page;
  return segmentsOf({ title, units: unitsIn(page), blocks, textOf: ({ start, end }) => text.slice(start, end) })
    .filter((segment) => isStatement(segment.text))
    .map((segment) => ({ segment, weight: weigh(segment.text) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_PIECES)
    .flatMap(({ segment }) => (documentOrders(segment.text).length === 0 ? [segment] : []));
}

/** Maximum number of words in a query. Search services accept 50 words, and the names of the allowed hosts are added to them. */
const MAX_WORDS = 24;
/** Maximum number of informative words taken from the passage. */
const FROM_PASSAGE = 6;

/** Matches a word with inner punctuation. Search operators (`site:`, `-`, `!`, quotes) do not match. */
const WORD = /[\p{L}\p{N}]+(?:[-.'’/&][\p{L}\p{N}]+)*/gu;

/**
 * Builds the search query for a passage: words of the question, its title, and its most informative words, names and
 * identifiers first. Amounts, dates and durations are left out, so that pages with other values are found. Personal
 * data is removed, because the query leaves the machine.
 * @param asked tokens of the question
 */
export function webQuery(question: string, asked: readonly string[], passage: Passage, facts: readonly Fact[], words: FactWords): string {
  const wanted = new Set(asked);
  const ofQuestion = wordsOf(question).filter((word) => words.tokens(word).some((token) => wanted.has(token)));
  const title = wordsOf([passage.document.title, passage.headingPath.at(-1) ?? ""].join(" "));
  const telling = facts
    .flatMap((fact) =>
      fact.words.map(({ start, end, root, name }) => ({
        text: fact.reading.text.slice(start, end),
        weight: (fact.own.get(root) ?? 0) + (name ? 1 : 0),
      })),
    )
    .sort((a, b) => b.weight - a.weight)
    .map(({ text }) => text);
  const identifiers = facts.flatMap(({ amounts, reading }) =>
    amounts.filter(({ kind }) => kind === "code" || kind === "form").map(({ start, end }) => reading.text.slice(start, end)),
  );
  const known = new Set<string>();
  const isNew = (word: string) => {
    const tokens = words.tokens(word);
    const fresh = tokens.length > 0 && !tokens.every((token) => known.has(token));
    for (const token of tokens) known.add(token);
    return fresh;
  };
  const first = [...ofQuestion, ...title].filter(isNew);
  const more = wordsOf([...identifiers, ...telling].join(" ")).filter(isNew);
  return [...first, ...more.slice(0, FROM_PASSAGE)].slice(0, MAX_WORDS).join(" ");
}

function wordsOf(text: string): string[] {
  const plain = redactPersonalData(text).replaceAll(/\[[a-z-]+\]/g, " ");
  return plain.match(WORD) ?? [];
}

/** Number of search results to request. Results from other hosts are skipped. */
const RESULTS = 10;
/** Maximum number of pages to read for one passage. */
const PAGES = 3;

/** Dependencies of the web check, wired by `createEngine`. */
export interface WebParts extends Omit<CompareWithPageParts, "words"> {
  readonly search: WebSearch;
  /** Hosts whose pages may be read; all others are skipped. */
  readonly hosts: readonly string[];
  readonly fetchPage: (url: string, options: { readonly hosts: readonly string[]; readonly signal: AbortSignal }) => Promise<FetchedPage>;
  readonly readPage: ReadPage;
  readonly now: () => Date;
  /** Maximum number of passages to check per question. */
  readonly passages: number;
  /** Time limit for all web requests of a question. */
  readonly timeoutMs: number;
}

/**
 * Checks passages against web pages of the allowed hosts. Each passage gets one query; all queries run in parallel
 * under one deadline. A passage whose check fails gets the verdict `silent` with the reason. In the result, `evidence`
 * has one entry per checked passage. `failures` lists each distinct reason why passages could not be checked. `unread`
 * names each page that could not be read, with the reason. `pages` is the number of pages read.
 * @param asked tokens of the question
 * @throws only the signal's reason when cancelled
 */
export async function askWeb(
  question: Question,
  asked: readonly string[],
  passages: readonly Evidence["passage"][],
  words: FactWords,
  parts: WebParts,
  signal: AbortSignal,
) {
  const deadline = startDeadline(signal, parts.timeoutMs);
  const failures = new Set<string>();
  const unread = new Map<string, string>();
  let read = 0;
  const failed = (cause: unknown) => (deadline.expired() ? `no response within ${parts.timeoutMs} ms` : messageOf(cause));
  const readOnce = memoised(async (url: string) => {
    try {
      const fetched = await parts.fetchPage(url, { hosts: parts.hosts, signal: deadline.signal });
      const retrievedAt = parts.now().toISOString();
      const page = await parts.readPage(fetched, deadline.signal);
      read++;
      return { url: fetched.url, title: shown(page.title) || fetched.url, retrievedAt, page };
    } catch (cause) {
      unread.set(url, failed(cause));
      return null;
    }
  });
  const lookUp = async (passage: Evidence["passage"]): Promise<WebEvidence> => {
    const statements = statementsOf(passage, asked, { ...parts, words });
    const query = webQuery(question.resolved, asked, passage, statements, words);
    const silent = (reason: string): WebEvidence => ({ sid: passage.sid, verdict: "silent", reason, query, pages: [] });
    if (statements.length === 0 || query === "") return silent("it states nothing that can be looked up");
    try {
      const results = await parts.search.search(query, { signal: deadline.signal, limit: RESULTS, hosts: parts.hosts });
      const urls = listedUrls(results, parts.hosts).slice(0, PAGES);
      if (urls.length === 0) return silent("no page was found on the listed hosts");
      const reads = (await Promise.all(urls.map((url) => readOnce(url)))).filter((result) => result !== null);
      const found = [...new Map(reads.map((result) => [result.url, result])).values()];
      if (found.length === 0) return silent("no page found could be read");
      const said = await Promise.all(
        found.map(async ({ page, ...place }): Promise<WebPageEvidence[]> => {
          const comparison = await compareWithPage(statements, page, { ...parts, words }, deadline.signal);
          return comparison === null ? [] : [{ ...place, ...comparison, quote: shown(comparison.quote) }];
        }),
      );
      return { ...silent(""), ...judge(said.flat(), found.length, passage.document.url) };
    } catch (cause) {
      const reason = failed(cause);
      failures.add(reason);
      return silent(`not checked: ${reason}`);
    }
  };
  const evidence = await Promise.all(passages.map(lookUp));
  signal.throwIfAborted();
  return { evidence, failures: [...failures], unread: [...unread].map(([url, why]) => `${url}: ${why}`), pages: read };
}

/** Returns the addresses of the results on allowed hosts, each once, in order. */
function listedUrls(results: readonly { readonly url: string }[], hosts: readonly string[]): string[] {
  const urls = results.flatMap(({ url }) => {
    try {
      return [checkUrl(url, hosts).href];
    } catch {
      return [];
    }
  });
  return [...new Set(urls)];
}

/** Returns the text on one line, without invisible and bidirectional control characters. */
function shown(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .trim();
}

/** Combines the verdicts of the pages. If they disagree, the passage stays uncertain, because no rule prefers one page to another. */
function judge(pages: readonly WebPageEvidence[], read: number, own: string | null): Pick<WebEvidence, "verdict" | "reason" | "pages"> {
  const says = (verdict: WebPageEvidence["verdict"]) => pages.filter((page) => page.verdict === verdict).length;
  const [confirmed, contradicted] = [says("confirmed"), says("contradicted")];
  const only = pages.length === 1 && own !== null && sameAddress(pages[0]?.url ?? "", own) ? ", the document's own page" : "";
  const of = `of ${read} ${read === 1 ? "page" : "pages"}`;
  if (confirmed > 0 && contradicted > 0)
    return { verdict: "silent", reason: `pages disagree: ${confirmed} confirm it, ${contradicted} contradict it`, pages };
  if (confirmed > 0) return { verdict: "confirmed", reason: `supported by ${confirmed} ${of}${only}`, pages };
  if (contradicted > 0) return { verdict: "contradicted", reason: `contradicted by ${contradicted} ${of}${only}`, pages };
  return { verdict: "silent", reason: `none ${of} is about the same subject`, pages };
}

function sameAddress(a: string, b: string): boolean {
  const plain = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/+$/, "");
  return plain(a) === plain(b);
}

/**
 * Updates uncertain verdicts by the web check: `confirmed` becomes verified, `contradicted` becomes rejected, `silent`
 * stays uncertain.
 */
export function withWebVerdicts(evidence: readonly Evidence[], web: readonly WebEvidence[]): Evidence[] {
  const said = new Map(web.map((one) => [one.sid, one]));
  return evidence.map((one) => {
    const found = said.get(one.passage.sid);
    if (found === undefined || one.verdict !== "uncertain") return one;
    const verdict = { confirmed: "verified", contradicted: "rejected", silent: "uncertain" } as const;
    return { ...one, verdict: verdict[found.verdict], reason: `${one.reason}; web: ${found.reason}` };
  });
}
