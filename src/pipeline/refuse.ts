import { checkSentence } from "../checks/check.ts";
import { holdsCode } from "../evidence/named-things.ts";
import { detectLanguage } from "../guard/detect-language.ts";
import { readPlain } from "../guard/hotlines.ts";
import { askedValues, askedWords, heldValues, holdsWord, labelKinds } from "../language/question.ts";
import type { Choice } from "../ranking/features.ts";
import { areaOf } from "../retrieval/retrieve.ts";
import type { QuestionWords } from "../retrieval/understand.ts";
import type { Evidence, NearMiss, Passage, Question, Quote, Refusal } from "../shared/types.ts";
import type { CorpusCounts } from "../store/document-rows.ts";
import { foldMarks } from "../text/normalise.ts";
import { onceEach } from "../text/numbers.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { aboveUnit, headingOf, unitAt } from "../text/units.ts";
import { quotesOf } from "../writing/quotes.ts";
import type { Outcome } from "./assemble.ts";
import { plainWords } from "./compress.ts";
import type { PipelineContext } from "./context.ts";
import { searchedWithin, wordsFor } from "./retrieve.ts";
import { checking, toCitedQuote } from "./write.ts";

/** All words of greetings, thanks and farewells. A message that contains only these words is small talk. */
const COURTESY =
  "hi hello hey heya hiya howdy greetings good morning afternoon evening day night there all everyone again thanks thank thx ty you so very much many a lot cheers ok okay great nice cool perfect bye goodbye ciao please";
/** Matches questions about the system itself. */
const ABOUT_ITSELF =
  /^(?:(?:hi|hello|hey) )?(?:what (?:can|do) you (?:do|know|know about|help with|answer)|what can i ask(?: you)?|what are you|who are you|what is this|what(?: i)?s this|how does this work|how do you work|help|help me|what is in here|what do you have)$/;

/** Returns whether a message is a greeting, thanks, or a question about the system. */
function isSmallTalk(message: string): boolean {
  const words = message
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .match(/[\p{L}\p{N}]+/gu);
  if (words === null || words.length > 8 || readPlain(message).letters === "") return false;
  return words.every((word) => COURTESY.split(" ").includes(word)) || ABOUT_ITSELF.test(words.join(" "));
}

/** Maximum number of passages that a refusal shows as near misses. */
const NEAR_MISSES = 3;
/** Maximum number of unreadable file names shown. */
const UNREADABLE_NAMES = 20;

interface RefusalParts extends Pick<PipelineContext, "contacts" | "isCommon"> {
  readonly words: Pick<QuestionWords, "tokens" | "questionTokens" | "idf">;
  /** Quote to show for each passage, keyed by `sid`, best first. If any passage has a quote, passages without one are hidden. */
  readonly nearest?: ReadonlyMap<string, Quote>;
}

/**
 * Refusal texts that no profile changes. If a selection or filters limit the search, `nothingWithin` and
 * `unreliableWithin` replace the profile's own texts, because those speak of all documents.
 */
export const REFUSAL_TEXTS = {
  empty: (domain: string) =>
    `Nothing could be searched: this domain has no documents that you may see. Ingest a folder first: sourcebound ingest FOLDER --domain ${domain}.`,
  injection:
    "This reads as an instruction to the system, not as a question about the documents, so it was not followed. Ask it as a plain question.",
  followUp: "The question was interpreted as a follow-up. Ask it in full.",
  nothingWithin: (where: string) => `I found nothing in ${where} that is relevant enough to answer this. Nothing else was searched.`,
  unreliableWithin: (where: string) =>
    `I cannot give a reliable answer from ${where}: the draft failed the checks, so it is not shown. Nothing else was searched.`,
  note: "This refusal is not a negative answer: the answer may be yes, no or something else.",
} as const;

/**
 * Builds a refusal with what was searched, contacts, and near misses: the best passages, each with the question's words
 * that it lacks. The text never claims that the documents do not contain something.
 */
export function explainRefusal(
  question: Question,
  given: Refusal["reason"],
  sentence: string,
  evidence: readonly Evidence[],
  { unreadable, ...counts }: CorpusCounts & { readonly within?: string },
  parts: RefusalParts,
): Refusal {
  const contacts = parts.contacts.filter(({ tenant = null }) => tenant === null || tenant === question.scope.tenant);
  const { documents, within } = counts;
  const reason = documents === 0 && within === undefined ? "empty_corpus" : given;
  const said = within === undefined ? sentence : REFUSAL_TEXTS[reason === "not_reliable" ? "unreliableWithin" : "nothingWithin"](within);
  const fitting = contacts.filter(({ when }) => when.length > 0 && mentions(question.resolved, when));
  const general = contacts.filter(({ when }) => when.length === 0);
  return {
    reason,
    message: messageFor(reason, said, question),
    note: REFUSAL_TEXTS.note,
    searched: { ...counts, unreadable: unreadable.slice(0, UNREADABLE_NAMES), unreadableCount: unreadable.length },
    nearest: nearestMisses(question, evidence, parts),
    contacts: [...fitting, ...general].map(({ name, contact }) => ({ name, contact })),
  };
}

function messageFor(reason: Refusal["reason"], sentence: string, { text, resolved, scope }: Question): string {
  if (reason === "empty_corpus") return REFUSAL_TEXTS.empty(scope.domain);
  if (reason === "injection") return REFUSAL_TEXTS.injection;
  return text === resolved ? sentence : `${sentence} ${REFUSAL_TEXTS.followUp}`;
}

/** Returns whether the text contains one of the phrases as whole words, in any case. */
export function mentions(text: string, phrases: readonly string[]): boolean {
  const plain = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}&]+/gu, " ")} `;
  return phrases.some((phrase) => plain.includes(` ${plainWords(phrase)} `));
}

function nearestMisses(question: Question, evidence: readonly Evidence[], { words, isCommon, nearest }: RefusalParts): NearMiss[] {
  const quotes = nearest ?? new Map<string, Quote>();
  const asked = askedWords(question.resolved, words).filter(({ word }) => !isCommon(word.toLowerCase()));
  const kinds = askedValues(question.resolved);
  const order = new Map([...quotes.keys()].map((sid, i) => [sid, i]));
  const place = ({ passage }: Evidence) => order.get(passage.sid) ?? order.size;
  const best = [...evidence].sort((a, b) => place(a) - place(b) || b.score - a.score);
  const worded = best.filter(({ passage }) => quotes.has(passage.sid));
  // If any passage has a quote, hide the passages without one: a bare title is no help.
  return onceEach(worded.length > 0 ? worded : best, ({ passage }) => passage.document.id)
    .slice(0, NEAR_MISSES)
    .map(({ passage }) => ({ ...placeOf(passage, quotes.get(passage.sid) ?? null), ...lacksOf(passage, asked, kinds, words) }));
}

function placeOf(passage: Passage, quote: Quote | null): Omit<NearMiss, "missing" | "missingValues"> {
  const { document, window } = passage;
  const { id, version, title, url } = document;
  const heading = quote === null ? headingOf(passage) : (unitAt(passage, quote.start)?.headingPath.at(-1) ?? headingOf(passage));
  // A near miss names only page numbers, without hashes and page coordinates.
  const { sha256: _, normaliser: __, pages, ...place } = originalPlaceOf(document, quote ?? window);
  return {
    ...{ title, heading: heading === title ? null : heading, url, documentId: id, documentVersion: version },
    original: pages === undefined ? place : { ...place, pages: pages.map(({ page }) => ({ page })) },
    quote: quote?.text ?? null,
  };
}

function lacksOf(passage: Passage, asked: ReturnType<typeof askedWords>, kinds: readonly number[], words: RefusalParts["words"]) {
  const { document, headingPath, text, units } = passage;
  const above = new Set(units.flatMap((unit) => aboveUnit(unit)));
  const held = new Set(words.tokens([document.title, ...headingPath, ...above, text].join("\n")).map(foldMarks));
  const shown = heldValues(text);
  const isHeld = (token: string) => held.has(foldMarks(token));
  return {
    missing: asked
      .filter((one) => !holdsWord(one, isHeld) && !(one.word.includes("-") && holdsCode(text, [one.word])))
      .map(({ word }) => word),
    missingValues: kinds.filter((group) => (group & shown) === 0).map(labelKinds),
  };
}

const CRISIS_TEXT = "Please do not face this alone. The services listed above are available now, day and night, and will listen.";

/** Refuses a crisis message, small talk or a non-English question without a search. Returns `null` for any other question. */
export async function refuseUnsearched(question: Question, context: PipelineContext): Promise<Refusal | null> {
  const said = await unsearched(question, context);
  if (said === null) return null;
  const counts = await context.store.documents.counts(question.scope);
  return { ...said, note: "", searched: { ...counts, unreadable: [], unreadableCount: 0 }, nearest: [], contacts: [] };
}

type Said = Pick<Refusal, "reason" | "message">;

async function unsearched({ text, scope }: Question, { isCrisis, about, language }: PipelineContext): Promise<Said | null> {
  if (await isCrisis(text)) return { reason: "crisis", message: CRISIS_TEXT };
  if (isSmallTalk(text)) {
    const message = `Hello. Ask me anything that these documents may answer: ${await about(scope)}. Every sentence of an answer shows its source.`;
    return { reason: "small_talk", message };
  }
  const spoken = language === "en" ? detectLanguage(text) : null;
  if (spoken === null || spoken === "English") return null;
  const message = `The question seems to be in another language (${spoken}), but this version supports only English. Ask it in English.`;
  return { reason: "language", message };
}

/**
 * Maximum number of documents that a refusal quotes, and maximum length of a quote in characters. Longer quotes are
 * skipped.
 */
const NEAREST = 3;
const NEAREST_CHARACTERS = 500;

/** Builds the refusal with its reason, what was searched, and the near misses (best passages). */
export async function refuse(question: Question, outcome: Outcome, context: PipelineContext): Promise<Refusal> {
  const { decision, evidence, written, choice } = outcome;
  const { profile, store } = context;
  const all = await store.documents.counts(question.scope, areaOf(question) ?? undefined);
  const within = await searchedWithin(question, store);
  const counts = within === null ? all : { ...all, within };
  // "Failed the checks" is the reason only if there were drafts and the model did not say that the quotes do not answer.
  const isUnwritten = written.insufficient || written.drafts.length === 0;
  const reason = decision.reason ?? (isUnwritten ? "evidence_too_weak" : "not_reliable");
  const sentence = reason === "not_reliable" ? profile.write.unreliable : profile.write.refusal;
  const isCalm = (await context.hotlines(question.text)).length === 0;
  const nearest = isCalm && reason !== "injection" ? await nearestQuotes(question, choice, context) : new Map<string, Quote>();
  const refusal = explainRefusal(question, reason, sentence, evidence, counts, {
    ...{ contacts: context.contacts, isCommon: context.isCommon },
    words: await wordsFor(question, context),
    nearest,
  });
  // In an emergency, do not list missing words.
  return isCalm ? refusal : { ...refusal, nearest: refusal.nearest.map((miss) => ({ ...miss, missing: [], missingValues: [] })) };
}

/** Returns one quote for each of the `NEAREST` best documents: the best that passes its checks. Keyed by the passage's `sid`. */
async function nearestQuotes(question: Question, choice: Choice | null, context: PipelineContext): Promise<Map<string, Quote>> {
  const found = new Map<string, Quote>();
  const documents = new Set<string>();
  for (const { view } of choice?.candidates ?? []) {
    if (found.size === NEAREST) break;
    const { passage } = view.evidence;
    const { quote } = quotesOf(passage, view.candidate);
    if (documents.has(passage.document.id) || quote.text.length > NEAREST_CHARACTERS) continue;
    const { kept } = await checkSentence({ text: quote.text, cited: [toCitedQuote(quote)] }, checking(question, context));
    if (!kept) continue;
    documents.add(passage.document.id);
    found.set(passage.sid, quote);
  }
  return found;
}
