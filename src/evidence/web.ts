import { redactPersonalData } from "../guard/pii.ts";
import { startDeadline } from "../models/adapters/call.ts";
import { checkUrl, type FetchedPage, type ReadPage } from "../models/web-page.ts";
import type { WebSearch } from "../models/web-search.ts";
import { messageOf } from "../shared/errors.ts";
import type { Evidence, Passage, Question, WebEvidence, WebPageEvidence } from "../shared/types.ts";
import type { Fact, FactWords } from "./facts.ts";
import { type CompareWithPageParts, compareWithPage, type PageComparison, statementsOf } from "./web-compare.ts";

/** Maximum number of words in a query. Search services accept fifty, and the hosts are added. */
const MAX_WORDS = 24;
/** Number of informative words taken from the passage. */
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
  return (
    redactPersonalData(text)
      .replaceAll(/\[[a-z-]+\]/g, " ")
      .match(WORD) ?? []
  );
}

/** Number of search results to request. Results from other hosts are skipped. */
const RESULTS = 10;
/** Maximum number of pages to read for one passage. */
const PAGES = 3;

/** Dependencies of the web check, wired by `createEngine`. */
export interface WebParts extends Omit<CompareWithPageParts, "words"> {
  readonly search: WebSearch;
  /** Only pages of these hosts are read. */
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
 * Checks passages against web pages of the listed hosts: one query for each passage, all in parallel under one
 * deadline. A failed check leaves its passage silent, with the reason. `evidence` has one entry per checked passage;
 * `failures` gives each distinct reason why passages could not be checked; `unread` names each unread page once, with
 * the reason; `pages` counts the pages read.
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
  const pages = new Map<string, Promise<ReadResult | null>>();
  let read = 0;
  const failed = (cause: unknown) => (deadline.expired() ? `no response within ${parts.timeoutMs} ms` : messageOf(cause));
  const readOnce = (url: string): Promise<ReadResult | null> => {
    const known = pages.get(url);
    if (known !== undefined) return known;
    const reading = readResult(url, parts, deadline.signal).then(
      (result) => {
        read++;
        return result;
      },
      (cause: unknown) => {
        unread.set(url, failed(cause));
        return null;
      },
    );
    pages.set(url, reading);
    return reading;
  };
  const lookUp = async (passage: Evidence["passage"]): Promise<WebEvidence> => {
    const statements = statementsOf(passage, asked, { ...parts, words });
    const query = webQuery(question.resolved, asked, passage, statements, words);
    const silent = (reason: string): WebEvidence => ({ sid: passage.sid, verdict: "silent", reason, query, pages: [] });
    if (statements.length === 0 || query === "") return silent("it states nothing that can be looked up");
    try {
      const results = await parts.search.search(query, { signal: deadline.signal, limit: RESULTS, hosts: parts.hosts });
      const urls = listedUrls(results, parts.hosts).slice(0, PAGES);
      if (urls.length === 0) return silent("no page was found on the listed hosts");
      const reads = (await Promise.all(urls.map(readOnce))).filter((result) => result !== null);
      const found = [...new Map(reads.map((result) => [result.url, result])).values()];
      if (found.length === 0) return silent("no page found could be read");
      const said = await Promise.all(
        found.map(async (result) => {
          const comparison = await compareWithPage(statements, result.page, { ...parts, words }, deadline.signal);
          return comparison === null ? [] : [pageEvidence(result, comparison)];
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

export type WebOutcome = Awaited<ReturnType<typeof askWeb>>;
type ReadResult = Awaited<ReturnType<typeof readResult>>;

async function readResult(url: string, { fetchPage, readPage, hosts, now }: WebParts, signal: AbortSignal) {
  const fetched = await fetchPage(url, { hosts, signal });
  const retrievedAt = now().toISOString();
  return { url: fetched.url, retrievedAt, page: await readPage(fetched, signal) };
}

/** Returns the distinct allowed result addresses in order. */
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

function pageEvidence({ url, retrievedAt, page }: ReadResult, { verdict, claim, quote }: PageComparison): WebPageEvidence {
  return { url, title: shown(page.title) || url, retrievedAt, verdict, claim, quote: shown(quote) };
}

/** Returns the text on one line, without invisible and bidirectional control characters. */
function shown(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .trim();
}

/** Pages that disagree leave a passage uncertain, because nothing here decides between them. */
function judge(pages: readonly WebPageEvidence[], read: number, own: string | null): Pick<WebEvidence, "verdict" | "reason" | "pages"> {
  const says = (verdict: WebPageEvidence["verdict"]) => pages.filter((page) => page.verdict === verdict).length;
  const [confirmed, contradicted] = [says("confirmed"), says("contradicted")];
  const only = pages.length === 1 && own !== null && sameAddress(pages[0]?.url ?? "", own) ? ", the document's own page" : "";
  const count = (n: number) => `${n} of ${read} ${read === 1 ? "page" : "pages"}`;
  if (confirmed > 0 && contradicted > 0)
    return { verdict: "silent", reason: `pages disagree: ${confirmed} confirm it, ${contradicted} contradict it`, pages };
  if (confirmed > 0) return { verdict: "confirmed", reason: `supported by ${count(confirmed)}${only}`, pages };
  if (contradicted > 0) return { verdict: "contradicted", reason: `contradicted by ${count(contradicted)}${only}`, pages };
  return { verdict: "silent", reason: `none of ${read} ${read === 1 ? "page" : "pages"} is about the same subject`, pages };
}

function sameAddress(a: string, b: string): boolean {
  const plain = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/+$/, "");
  return plain(a) === plain(b);
}

/**
 * Updates uncertain verdicts by the web check: confirmed becomes verified, contradicted becomes rejected, silent stays
 * uncertain.
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
