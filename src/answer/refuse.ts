import { checkSentence } from "../check/check.ts";
import type { HotlineFinder } from "../guard/hotlines.ts";
import { isSmallTalk } from "../guard/small-talk.ts";
import { tongueOf } from "../guard/tongue.ts";
import type { Profile } from "../profiles/profile.ts";
import { areaOf } from "../retrieve/retrieve.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Store } from "../store/store.ts";
import type { Question, Quote, Refusal, Scope } from "../types.ts";
import { explainRefusal, type RefusalParts } from "../verify/refusal.ts";
import type { Choice } from "../write/choice.ts";
import { quotesOf } from "../write/compress.ts";
import { type CheckingParts, checking, toCitedQuote } from "./checking.ts";
import type { Outcome } from "./outcome.ts";
import { wordsFor } from "./question-words.ts";
import { searchedWithin } from "./searched-within.ts";

export interface RefuseParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  readonly store: Pick<Store, "documents">;
  readonly check: CheckingParts["check"];
  readonly guards: CheckingParts["guards"];
  readonly encoder: CheckingParts["encoder"];
  readonly calibrations: CheckingParts["calibrations"];
  readonly refusal: Omit<RefusalParts, "words">;
  readonly hotlines: HotlineFinder;
  /** Is it a message of a crisis, beneath which nothing but the hotline may stand? */
  readonly isCrisis: (message: string) => Promise<boolean>;
  /** What the documents are about, in one line. */
  readonly about: (scope: Scope) => Promise<string>;
  /** Language of the domain. */
  readonly language: string;
}

const CRISIS_TEXT = "Please do not stay alone with this: the people named above are there now, day and night, and will listen.";

function smallTalk(about: string): string {
  return `Hello. Ask me anything that these documents may answer: ${about}. Every sentence of an answer comes with the place where it stands.`;
}

function notEnglish(spoken: string): string {
  return `This version reads English, and the question seems to be in another language (${spoken}): ask it in English.`;
}

/** What is no question to English documents gets a line of its own, and nothing is searched for it; `null`: it is one. */
export async function refuseUnsearched(question: Question, parts: RefuseParts): Promise<Refusal | null> {
  const said = await unsearched(question, parts);
  if (said === null) return null;
  const { documents } = parts.store;
  const none = { ...(await documents.counts(question.scope)), unreadable: [] };
  const { searched } = explainRefusal(question, said.reason, said.message, [], none, {
    ...parts.refusal,
    words: wordsFor(question, parts),
  });
  return { ...said, note: "", searched, nearest: [], contacts: [] };
}

async function unsearched(
  { text, scope }: Question,
  { isCrisis, about, language }: RefuseParts,
): Promise<Pick<Refusal, "reason" | "message"> | null> {
  if (await isCrisis(text)) return { reason: "crisis", message: CRISIS_TEXT };
  if (isSmallTalk(text)) return { reason: "small_talk", message: smallTalk(await about(scope)) };
  const spoken = language === "en" ? tongueOf(text) : null;
  return spoken === null || spoken === "English" ? null : { reason: "language", message: notEnglish(spoken) };
}

/** Passages of which the nearest sentence is shown, and its characters at most. */
const NEAREST = 3;
const NEAREST_CHARACTERS = 500;

/** Why there is no answer, what was searched, and what came nearest. */
export async function refuse(
  question: Question,
  { decision, evidence, written, choice }: Pick<Outcome, "decision" | "evidence" | "written" | "choice">,
  parts: RefuseParts,
): Promise<Refusal> {
  const { profile, store } = parts;
  const all = await store.documents.counts(question.scope, areaOf(question) ?? undefined);
  const within = await searchedWithin(question, store);
  const counts = within === null ? all : { ...all, within };
  const reason = decision.reason ?? (written.insufficient ? "evidence_too_weak" : "not_reliable");
  const sentence = reason === "not_reliable" ? profile.write.unreliable : profile.write.refusal;
  const isCalm = (await parts.hotlines(question.text)).length === 0;
  const nearest = isCalm && reason !== "injection" ? await nearestQuotes(question, choice, parts) : new Map<string, Quote>();
  const refusal = explainRefusal(question, reason, sentence, evidence, counts, {
    ...parts.refusal,
    words: wordsFor(question, parts),
    nearest,
  });
  return isCalm ? refusal : withoutLacks(refusal);
}

/** The likeliest piece of each of the nearest passages, where the checks of a quote find nothing in it. */
async function nearestQuotes(question: Question, choice: Choice | null, parts: RefuseParts): Promise<Map<string, Quote>> {
  const found = new Map<string, Quote>();
  const documents = new Set<string>();
  for (const { view } of choice?.pieces ?? []) {
    if (found.size === NEAREST) break;
    const { passage } = view.evidence;
    const { quote } = quotesOf(passage, view.piece);
    if (documents.has(passage.document.id) || quote.text.length > NEAREST_CHARACTERS) continue;
    const { kept } = await checkSentence({ text: quote.text, cited: [toCitedQuote(quote)] }, checking(question, parts));
    if (!kept) continue;
    documents.add(passage.document.id);
    found.set(passage.sid, quote);
  }
  return found;
}

/** Whoever is in danger is not told which of their words no document holds. */
function withoutLacks(refusal: Refusal): Refusal {
  return { ...refusal, nearest: refusal.nearest.map((miss) => ({ ...miss, missing: [], missingValues: [] })) };
}
