import { checkSentence } from "../check/check.ts";
import type { HotlineFinder } from "../guard/hotlines.ts";
import type { Profile } from "../profiles/profile.ts";
import { areaOf } from "../retrieve/retrieve.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Store } from "../store/store.ts";
import type { Question, Quote, Refusal } from "../types.ts";
import { explainRefusal, type RefusalParts } from "../verify/refusal.ts";
import type { Choice } from "../write/choose.ts";
import { quotesOf } from "../write/compress.ts";
import { type CheckingParts, checking, toCitedQuote } from "./checking.ts";
import type { Outcome } from "./outcome.ts";
import { wordsFor } from "./question-words.ts";

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
  const isCalm = parts.hotlines(question.text).length === 0;
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

/** Where filters and selection kept the search to, in words. */
async function searchedWithin({ filters, selection, scope }: Question, { documents }: Pick<Store, "documents">): Promise<string | null> {
  const selected = selection === null ? null : (await documents.load(scope, [selection.documentId])).get(selection.documentId);
  const parts = [
    ...(filters ? [filters.searchedIn] : []),
    ...(selection === null ? [] : [selected ? `the selected text of "${selected.title}"` : "the selected text"]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
