import { askedValues, heldValues, kindsInWords } from "../reading/asked-values.ts";
import { askedWords } from "../reading/asked-words.ts";
import type { CorpusCounts } from "../store/document-records.ts";
import { foldMarks } from "../text/fold-marks.ts";
import { headingOf } from "../text/heading-of.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { aboveUnit, unitAt } from "../text/units.ts";
import type { Evidence, NearMiss, OriginalPlace, Passage, Question, Quote, Refusal } from "../types.ts";
import type { WordStatistics } from "./verify.ts";

/** Near misses shown. */
const NEAREST = 3;
/** Names of unreadable files shown. */
const UNREADABLE_NAMES = 20;

export interface RefusalParts {
  readonly words: WordStatistics;
  /** Is a word (lower case) one that every text uses? What comes nearest is not said to lack it. */
  readonly isCommon: (word: string) => boolean;
  /** What comes nearest in a passage, by its sid, in this order; where there is one, passages without are not shown. */
  readonly nearest?: ReadonlyMap<string, Quote>;
  readonly contacts: readonly {
    readonly name: string;
    readonly contact: string;
    readonly when: readonly string[];
    /** Named to this tenant only. */
    readonly tenant?: string | null;
  }[];
}

/**
 * What every profile says alike; what nothing was found for in all documents is in the profile's own words. Where a selection or filters kept the search
 * to a part, those words would speak of what nobody looked at.
 */
export const REFUSAL_TEXTS = {
  empty:
    "Nothing could be searched: no document that you may see has been ingested for this domain yet. Read a folder first: sourcebound ingest FOLDER.",
  injection:
    "This reads as an instruction to the system rather than as a question about the documents, so it is not followed. Ask it as a plain question.",
  followUp: "It was read as a follow-up: ask the question in full.",
  nothingWithin: (where: string) => `I found nothing in ${where} that is near enough to answer this from. Only that was searched.`,
  unreliableWithin: (where: string) =>
    `I cannot give a reliable answer from ${where}: what was written did not pass the checks, so it is not shown. Only that was searched.`,
  note: "Not finding an answer here settles nothing: the answer may be yes, no or something else.",
} as const;

/** An answer of absence: what was searched, what came nearest and what it lacks, whom to ask. It never says what the documents do not say. */
export function explainRefusal(
  question: Question,
  given: Refusal["reason"],
  sentence: string,
  evidence: readonly Evidence[],
  { unreadable, ...counts }: CorpusCounts & { readonly within?: string },
  { words, isCommon, nearest, contacts: everyone }: RefusalParts,
): Refusal {
  const contacts = everyone.filter(({ tenant = null }) => tenant === null || tenant === question.scope.tenant);
  const reason = counts.documents === 0 && counts.within === undefined ? "empty_corpus" : given;
  const fitting = contacts.filter(({ when }) => when.length > 0 && mentions(question.resolved, when));
  const general = contacts.filter(({ when }) => when.length === 0);
  return {
    reason,
    message: messageFor(reason, inPart(reason, counts.within) ?? sentence, question),
    note: REFUSAL_TEXTS.note,
    searched: { ...counts, unreadable: unreadable.slice(0, UNREADABLE_NAMES), unreadableCount: unreadable.length },
    nearest: nearestMisses(question, evidence, { words, isCommon }, nearest ?? new Map()),
    contacts: [...fitting, ...general].map(({ name, contact }) => ({ name, contact })),
  };
}

/** `null`: all documents were searched. */
function inPart(reason: Refusal["reason"], within: string | undefined): string | null {
  if (within === undefined) return null;
  return reason === "not_reliable" ? REFUSAL_TEXTS.unreliableWithin(within) : REFUSAL_TEXTS.nothingWithin(within);
}

function messageFor(reason: Refusal["reason"], sentence: string, { text, resolved }: Question): string {
  if (reason === "empty_corpus") return REFUSAL_TEXTS.empty;
  if (reason === "injection") return REFUSAL_TEXTS.injection;
  return text === resolved ? sentence : `${sentence} ${REFUSAL_TEXTS.followUp}`;
}

/** Does the text contain one of the phrases as whole words, in any case? */
export function mentions(text: string, phrases: readonly string[]): boolean {
  const plain = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}&]+/gu, " ")} `;
  return phrases.some((phrase) =>
    plain.includes(
      ` ${phrase
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
        .trim()} `,
    ),
  );
}

function nearestMisses(
  question: Question,
  evidence: readonly Evidence[],
  { words, isCommon }: Pick<RefusalParts, "words" | "isCommon">,
  quotes: ReadonlyMap<string, Quote>,
): NearMiss[] {
  const asked = askedWords(question.resolved, words).filter(({ word }) => !isCommon(word.toLowerCase()));
  const kinds = askedValues(question.resolved);
  const order = new Map([...quotes.keys()].map((sid, i) => [sid, i]));
  const place = ({ passage }: Evidence) => order.get(passage.sid) ?? order.size;
  const best = [...evidence].sort((a, b) => place(a) - place(b) || b.score - a.score);
  const byDocument = new Map([...best].reverse().map((one) => [one.passage.document.id, one]));
  const worded = best.filter(({ passage }) => quotes.has(passage.sid));
  // A title without words says nothing beside passages that show theirs: what the choice left out has none.
  return (worded.length > 0 ? worded : best)
    .filter((one) => byDocument.get(one.passage.document.id) === one)
    .slice(0, NEAREST)
    .map(({ passage }) => ({ ...placeOf(passage, quotes.get(passage.sid) ?? null), ...lacksOf(passage, asked, kinds, words) }));
}

function placeOf(passage: Passage, quote: Quote | null): Omit<NearMiss, "missing" | "missingValues"> {
  const { document, window } = passage;
  const { id, version, title, url } = document;
  const heading = quote === null ? headingOf(passage) : (unitAt(passage, quote.start)?.headingPath.at(-1) ?? headingOf(passage));
  return {
    title,
    heading: heading === title ? null : heading,
    url,
    documentId: id,
    documentVersion: version,
    original: withoutHashes(originalPlaceOf(document, quote ?? window)),
    quote: quote?.text ?? null,
  };
}

/** A passage stands on whole pages: their boxes would say nothing. */
function withoutHashes({ sha256: _, normaliser: __, pages, ...place }: OriginalPlace): NearMiss["original"] {
  return pages === undefined ? place : { ...place, pages: pages.map(({ page }) => ({ page })) };
}

function lacksOf(
  { document, headingPath, text, units }: Passage,
  asked: ReturnType<typeof askedWords>,
  kinds: readonly number[],
  words: WordStatistics,
): Pick<NearMiss, "missing" | "missingValues"> {
  const above = new Set(units.flatMap((unit) => aboveUnit(unit)));
  const held = new Set(words.tokens([document.title, ...headingPath, ...above, text].join("\n")).map(foldMarks));
  const shown = heldValues(text);
  return {
    missing: asked.filter(({ tokens }) => !tokens.some((token) => held.has(foldMarks(token)))).map(({ word }) => word),
    missingValues: kinds.filter((group) => (group & shown) === 0).map(kindsInWords),
  };
}
