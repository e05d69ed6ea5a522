import type { HotlineFinder } from "../guard/hotlines.ts";
import type { Profile } from "../profiles/profile.ts";
import { areaOf } from "../retrieve/retrieve.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Store } from "../store/store.ts";
import type { Question, Refusal } from "../types.ts";
import { explainRefusal, type RefusalParts } from "../verify/refusal.ts";
import type { Outcome } from "./outcome.ts";
import { wordsFor } from "./question-words.ts";

export interface RefuseParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  readonly store: Pick<Store, "documents">;
  readonly refusal: Omit<RefusalParts, "words">;
  readonly hotlines: HotlineFinder;
}

/** Why there is no answer, what was searched, and what came nearest. */
export async function refuse(
  question: Question,
  { decision, evidence, written }: Pick<Outcome, "decision" | "evidence" | "written">,
  parts: RefuseParts,
): Promise<Refusal> {
  const { profile, store } = parts;
  const all = await store.documents.counts(question.scope, areaOf(question) ?? undefined);
  const within = await searchedWithin(question, store);
  const counts = within === null ? all : { ...all, within };
  const reason = decision.reason ?? (written.insufficient ? "evidence_too_weak" : "not_reliable");
  const sentence = reason === "not_reliable" ? profile.write.unreliable : profile.write.refusal;
  const refusal = explainRefusal(question, reason, sentence, evidence, counts, { ...parts.refusal, words: wordsFor(question, parts) });
  return parts.hotlines(question.text).length > 0 ? withoutLacks(refusal) : refusal;
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
