import { readFileSync } from "node:fs";
import { type CheckContext, type CheckedSentence, checkAnswer, checkSentence } from "../checks/check.ts";
import { type CitedQuote, type Finding, finding } from "../checks/finding.ts";
import { guardAnswer, type PassageTexts } from "../checks/guard-answer.ts";
import { terminologyOf } from "../checks/guards.ts";
import { createReader } from "../checks/statements.ts";
import { type DomainPack, publishedContacts } from "../engine/domain.ts";
import { createReaderKeeper, createShippedSupport } from "../engine/local-models.ts";
import { documentQuotes } from "../ingest/document-quotes.ts";
import { openedExtensions, supportedExtensions } from "../ingest/formats/formats.ts";
import { MAX_FILE_BYTES } from "../ingest/limits.ts";
import { type ParsedDocument, readDocuments } from "../ingest/parse.ts";
import { scanFolder } from "../ingest/scan.ts";
import { loadCalibrations } from "../models/calibration/calibration.ts";
import { sharedEncoder } from "../models/embedded-encoder.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS, usesSupport } from "../profiles/guards.ts";
import { profileNamed } from "../profiles/index.ts";
import { Bm25Index } from "../retrieval/bm25.ts";
import { IngestError, messageOf, RequestError, SourceboundError } from "../shared/errors.ts";
import type { CheckResult, TextRange } from "../shared/types.ts";
import { type MarkedText, parseMarkers } from "../text/markers.ts";
import { splitSentences } from "../text/sentences.ts";
import { toOriginal } from "../text/source-map.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { MAX_ANSWER_CHARACTERS, markedSentences } from "./correct-answer.ts";

export { MAX_ANSWER_CHARACTERS } from "./correct-answer.ts";

export interface VerifyOptions {
  readonly profile?: string | undefined;
  /** Provides hosts, contacts and tenants; absent: none. */
  readonly domain?: DomainPack | undefined;
  readonly tenant?: string | null | undefined;
  /** Support scorer to use instead of the bundled one; `null`: support is not scored. */
  readonly support?: CheckContext["support"] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type VerifiedSentence = Sentence & TextRange;

/** The source sentence most similar to a sentence of the answer, byte for byte. The range is in UTF-16 code units of the file. */
export type SourcePassage = NonNullable<Sentence["passage"]>;

export type VerifiedAnswer = Awaited<ReturnType<typeof verify>>;

/** A text that an answer may cite as `[n]`. */
export type VerifySource = VerifiedAnswer["sources"][number];

/**
 * Maximum number of similar sentences from uncited sources to try as better citations. A sentence without citations is
 * compared with the three most similar source sentences.
 */
const NEAREST = 8;
/** If a cited source has more quotes than this, a sentence is compared only with the quotes of this many most similar sentences. */
const WITHIN_SOURCE = 60;

/**
 * Runs the product's checks, without a language model, over an answer from another system. `[n]` cites the n-th supported file of the
 * folder, ordered by path (`numberSources`); a sentence without a marker is compared with the nearest source sentences.
 * @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text`, `sources_empty`; IngestError when the folder cannot be read
 * @example
 * import { verifyAnswer } from "sourcebound";
 * const { passed, sentences } = await verifyAnswer("What does a lost card cost?", "A lost card costs 7 dollars [1].", "documents");
 * console.log(passed, sentences[0].checks.find(({ verdict }) => verdict === "fail").name);
 */
export async function verifyAnswer(question: string, answer: string, folder: string, options: VerifyOptions = {}): Promise<VerifiedAnswer> {
  assertAnswer(answer);
  return verifyAgainst(question, answer, await readSources(folder), options);
}

/** Checks an answer against documents that are already parsed. @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text` */
export async function verifyAgainst(question: string, answer: string, sources: Sources, options: VerifyOptions = {}) {
  if (options.support !== undefined) return verify(question, answer, sources, options);
  const keeper = createReaderKeeper();
  try {
    return await verify(question, answer, sources, { ...options, support: createShippedSupport(keeper) });
  } finally {
    await keeper.close();
  }
}

async function verify(question: string, answer: string, sources: Sources, options: VerifyOptions) {
  const { numbered, unnumbered } = sources;
  const { domain, tenant = null, signal } = options;
  assertAnswer(answer);
  const profile = profileNamed(options.profile ?? "sourcebound");
  const support = usesSupport(profile) ? (options.support ?? null) : null;
  const index = indexSources(numbered);
  const context: CheckContext = {
    ...{ settings: profile.check, hosts: domain?.hosts ?? [], homePage: domain?.home_page ?? null },
    ...{ reader: createReader(), question, support },
    guards: {
      contacts: domain === undefined ? [] : publishedContacts(domain),
      terminology: terminologyOf(domain?.tenants ?? {}, tenant),
    },
  };
  const sentences: VerifiedSentence[] = [];
  for (const range of markedSentences(answer)) {
    signal?.throwIfAborted();
    const sentence = await verifySentence(answer.slice(range.start, range.end), index, context);
    if (sentence !== null) sentences.push({ ...range, ...sentence });
  }
  const checks = await verifyWhole(sentences, context);
  const all = [...sentences.flatMap((sentence) => sentence.checks), ...checks];
  return {
    /** True if no check objects to a sentence or to the whole answer. */
    passed: sentences.every(({ verdict }) => verdict === "pass") && all.every(({ verdict }) => verdict === "pass"),
    profile: profile.name,
    sources: numbered.flatMap(({ path, document }, i) => (document === null ? [] : [{ n: i + 1, path, title: document.metadata.title }])),
    /**
     * Unreadable files with reasons. Each keeps its citation number; `n` is `null` for a file that has none, such as one of an
     * unsupported format.
     */
    unreadable: [
      ...numbered.flatMap(({ path, document, reason }, i) => (document === null ? [{ n: i + 1, path, reason }] : [])),
      ...unnumbered.map((one) => ({ n: null, ...one })),
    ],
    sentences,
    /** Checks of the answer as a whole. */
    checks,
  };
}

function assertAnswer(answer: string): void {
  if (!/[\p{L}\p{N}]/u.test(parseMarkers(answer).text))
    throw new RequestError("answer_empty", "The answer contains no words, so there is nothing to check. Send the answer's text.");
  if (answer.includes("\0") || answer.includes("\ufffd"))
    throw new RequestError("answer_not_text", "The answer is not text. Use UTF-8 without NUL bytes.");
  if (answer.length > MAX_ANSWER_CHARACTERS) {
    const message = `The answer has ${answer.length} characters; the limit is ${MAX_ANSWER_CHARACTERS}. Split it.`;
    throw new RequestError("answer_too_long", message, { characters: answer.length, limit: MAX_ANSWER_CHARACTERS });
  }
}

async function readSources(folder: string): Promise<Sources> {
  const { files, skipped, unreadable } = scanFolder(folder, folder, openedExtensions);
  const unnumbered = [...skipped, ...unreadable].map(({ path, reason }) => ({ path, reason }));
  const readable = files.map(({ absolute, path, bytes }) => ({ path, read: () => readSource(absolute, path, bytes) }));
  const sources = await numberSources(readable, unnumbered);
  const { numbered } = sources;
  if (numbered.some(({ document }) => document !== null)) return sources;
  const seen = [...numbered, ...unnumbered].map(({ path, reason }) => `${path}: ${reason}`).slice(0, 3);
  const message = `${folder} contains no readable document (${supportedExtensions.join(" ")}). ${seen.join("; ")}`.trim();
  throw new RequestError("sources_empty", message);
}

/** Reads one source file. Throws every failure as a `SourceboundError`, which the caller reports for this file alone. */
async function readSource(absolute: string, path: string, bytes: number): Promise<ParsedDocument[]> {
  try {
    if (bytes > MAX_FILE_BYTES)
      throw new IngestError("file_too_large", `has ${bytes} bytes; the limit is ${MAX_FILE_BYTES}. Split it, or leave it out`);
    return await readDocuments({ path, bytes: readFileSync(absolute) });
  } catch (cause) {
    if (cause instanceof SourceboundError) throw cause;
    throw new IngestError("file_unreadable", messageOf(cause), { path }, { cause });
  }
}

export interface NumberedSource {
  readonly path: string;
  /** `null` if the file could not be read or contains no text; `reason` says why. */
  readonly document: ParsedDocument | null;
  readonly reason: string;
}

/** The sources of an answer check. */
export interface Sources {
  /** Entry n, counted from 1, is what `[n]` in the answer cites. */
  readonly numbered: readonly NumberedSource[];
  /** Files without a number, with reasons. */
  readonly unnumbered: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Numbers every file in the given order. An unreadable or empty file gets a number too, so that later numbers do not
 * shift. A file that holds several documents, such as a JSON list, gets one number for each.
 */
export async function numberSources(
  files: readonly { readonly path: string; readonly read: () => Promise<readonly ParsedDocument[]> }[],
  unnumbered: Sources["unnumbered"] = [],
): Promise<Sources> {
  const numbered: NumberedSource[] = [];
  const unread = (path: string, reason: string) => ({ path, document: null, reason });
  for (const { path, read } of files) {
    try {
      const documents = await read();
      for (const document of documents)
        numbered.push(document.text.trim() === "" ? unread(document.path, EMPTY) : { path: document.path, document, reason: "" });
      if (documents.length === 0) numbered.push(unread(path, EMPTY));
    } catch (error) {
      if (!(error instanceof SourceboundError)) throw error;
      numbered.push(unread(path, reasonOf(error, path)));
    }
  }
  return { numbered, unnumbered };
}

const EMPTY = "contains no text";

/** Returns the message without the path at its start, because the caller shows the path separately. */
function reasonOf({ message }: SourceboundError, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}

interface PlacedSentence extends TextRange {
  readonly source: number;
  readonly text: string;
  /** The quote that contains it. */
  readonly quote: CitedQuote;
}

/** Indexes the sentences of all sources. Sources are identified by their position, from 0. */
function indexSources(sources: readonly NumberedSource[]) {
  const stem = createStemmer();
  const ranking = new Bm25Index();
  const placed: PlacedSentence[] = [];
  const quotes = sources.map(({ document }, source) =>
    (document === null ? [] : documentQuotes(document)).map(({ start, text, above, header }) => {
      const quote: CitedQuote = { text, above, header, url: document?.metadata.url ?? null, exact: true };
      for (const range of splitSentences(text)) {
        const sentence = text.slice(range.start, range.end);
        placed.push({ source, quote, text: sentence, start: start + range.start, end: start + range.end });
        ranking.add([
          { tokens: tokenize(sentence, stem), weight: 1 },
          { tokens: tokenize(above.join(" "), stem), weight: 0.3 },
        ]);
      }
      return quote;
    }),
  );
  const verbatim = Map.groupBy(placed, ({ text }) => text);
  return {
    ...{ sources, quotes, verbatim },
    nearest: (text: string, limit: number, accept: (source: number) => boolean = () => true): PlacedSentence[] =>
      ranking.search(tokenize(text, stem), limit, (slot) => accept(placed[slot]?.source ?? -1)).flatMap(({ slot }) => placed[slot] ?? []),
  };
}

type SourceIndex = ReturnType<typeof indexSources>;
type Sentence = ReturnType<typeof describe>;

async function verifySentence(written: string, index: SourceIndex, context: CheckContext): Promise<Sentence | null> {
  const { text, numbers } = parseMarkers(written);
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  const unread = numbers.filter((n) => index.sources[n - 1]?.document === null).map((n) => n - 1);
  if (unread.length === 0) return verifyCiting(written, { text, numbers }, index, context);
  const named = unread.map((source) => `[${source + 1}] ${index.sources[source]?.path}: ${index.sources[source]?.reason}`);
  const found = finding("unread", "warn", null, `cites an unreadable source: ${named.join("; ")}`);
  // If none of its cited files could be read, the sentence cannot be checked.
  if (unread.length === numbers.length) {
    const unchecked = { kept: true, results: [found], status: "unchecked" as const, reason: found.reason };
    return describe(written, unchecked, unread, false, undefined, index);
  }
  const rest = await verifyCiting(written, { text, numbers: numbers.filter((n) => !unread.includes(n - 1)) }, index, context);
  const citations = [...rest.citations, ...unread.map((source) => source + 1)];
  return { ...rest, verdict: rest.verdict === "fail" ? "fail" : "warn", citations, checks: [...rest.checks, found] };
}

async function verifyCiting(written: string, { text, numbers }: MarkedText, index: SourceIndex, context: CheckContext): Promise<Sentence> {
  const isThere = (n: number) => n >= 1 && n <= index.sources.length;
  const known = numbers.filter(isThere).map((n) => n - 1);
  const missing = numbers.filter((n) => !isThere(n));
  const isCited = (source: number) => known.length === 0 || known.includes(source);
  const exact = numbers.length > 0 && known.length === 0 ? undefined : index.verbatim.get(text)?.find(({ source }) => isCited(source));
  if (exact !== undefined && missing.length === 0) {
    const checked = await checkSentence({ text, cited: [{ ...exact.quote, text }] }, context);
    return describe(written, checked, [exact.source], numbers.length === 0, exact, index);
  }
  const searched = numbers.length === 0;
  const near = searched ? index.nearest(text, NEAREST).slice(0, 3) : [];
  const cited = searched ? [...new Set(near.map(({ quote }) => quote))] : known.flatMap((source) => quotesWithin(source, text, index));
  const citedSources = searched ? [...new Set(near.map(({ source }) => source))] : known;
  const elsewhere = index.nearest(text, NEAREST, (source) => !citedSources.includes(source));
  const others = [...new Set(elsewhere.map(({ source }) => source))];
  const quotesOf = (source: number) => [...new Set(elsewhere.filter((one) => one.source === source).map(({ quote }) => quote))];
  const checked = await checkSentence({ text, cited, missing, others: others.map(quotesOf) }, context);
  const better = checked.recited === null ? undefined : others[checked.recited];
  const sources = better === undefined ? citedSources : [better];
  const place = index.nearest(text, 1, (source) => sources.includes(source))[0];
  return describe(written, checked, place !== undefined && searched ? [place.source] : sources, searched, place, index);
}

/** Returns the quotes of a cited source. If there are more than `WITHIN_SOURCE`, returns only those most similar to the sentence. */
function quotesWithin(source: number, text: string, { quotes, nearest }: SourceIndex): readonly CitedQuote[] {
  const all = quotes[source] ?? [];
  return all.length <= WITHIN_SOURCE ? all : [...new Set(nearest(text, WITHIN_SOURCE, (one) => one === source).map(({ quote }) => quote))];
}

/** @param text the sentence in the answer, with citation markers */
function describe(
  text: string,
  { kept, results, status, reason }: Pick<CheckedSentence, "kept" | "results" | "status" | "reason">,
  sources: readonly number[],
  searched: boolean,
  place: PlacedSentence | undefined,
  { sources: all }: SourceIndex,
) {
  const worst = (["fail", "warn", "repaired"] as const).find((verdict) => results.some((result) => result.verdict === verdict));
  const document = place === undefined ? null : (all[place.source]?.document ?? null);
  const verdict: Finding["verdict"] = kept ? (worst ?? "pass") : "fail";
  return {
    ...{ text, verdict, status, reason },
    /** Numbers of the cited sources. Without a citation, the number of the source with the most similar sentence. */
    citations: sources.map((source) => source + 1),
    /** True if the sentence has no citation, so that all sources were searched. */
    searched,
    checks: results,
    passage:
      place === undefined || document === null
        ? null
        : { source: place.source + 1, path: document.path, text: place.text, ...toOriginal(document.sourceMap, place) },
  };
}

async function verifyWhole(sentences: readonly VerifiedSentence[], context: CheckContext): Promise<CheckResult[]> {
  const { settings, question, support, reader } = context;
  const guards = settings.guards ?? GUARDS;
  const { relevancy } = guards;
  const claims = sentences.map(({ text, status, citations, reason }, sentence) => ({ sentence, text, status, citations, reason }));
  const given = {
    sentences: sentences.map((sentence) => parseMarkers(sentence.text).text),
    passages: [...new Set(sentences.flatMap(({ passage }) => passage?.text ?? []))].map((text): PassageTexts => [text]),
  };
  const found = await guardAnswer(question, given, guards, {
    ...{ support, reader },
    similarity: relevancy === null ? null : createRelevancy(relevancy, sharedEncoder(), loadCalibrations()),
    countTokens: guards.tokens?.count === "tokens" ? (await import("../text/cl100k.ts")).countTokens : null,
  });
  return [...checkAnswer(sentences, claims, settings), ...found.map((result) => ({ ...result, sentence: null }))];
}
