import { createMemory, type Memory } from "../memory/memory.ts";
import { bindCorrection } from "../pipeline/correct-answer.ts";
import type { AnswerRecord } from "../pipeline/record.ts";
import { searchedWithin } from "../pipeline/retrieve.ts";
import { applyFilters } from "../retrieval/retrieve.ts";
import { RequestError } from "../shared/errors.ts";
import type { AppliedFilters, Question, Scope } from "../shared/types.ts";
import type { Store } from "../store/store.ts";
import { scopeOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { Opened } from "./open.ts";
import type { ContextFor } from "./pipeline-context.ts";

/** Creates the memory of questions; a reviewer's correction is bound to documents by the checks of the question's profile. */
export function createBoundMemory(opened: Opened, domains: Domains, contextFor: ContextFor): Memory {
  const { store, config, retention, createId } = opened;
  return createMemory({
    ...{ store, retention, createId },
    privacy: config.privacy,
    sessionTurns: config.session.turns,
    domain: (name) => domains.pack(name).name,
    async within(asked) {
      const ids = asked.map(({ id }) => id);
      const recorded = await recordedQuestions(ids, store);
      const limits = new Map<string, string>();
      for (const { id, scope } of asked) {
        const { filters = null, selection = null } = recorded.get(id) ?? {};
        const words = await searchedWithin({ filters: await named(filters, scope, store), selection, scope }, store);
        if (words !== null) limits.set(id, words);
      }
      return limits;
    },
    async bind({ id: asked, domain, tenant, access, profile, question }, before, id, text) {
      const pack = domains.pack(domain);
      const recorded = (await recordedQuestions([asked], store)).get(asked);
      // Without the record, the filters of the question and so the permitted quotes are unknown.
      if (recorded === undefined) {
        const message = `The filters of question ${asked} are no longer known. Ask it again and correct the new answer.`;
        throw new RequestError("review_stale", message, { id: asked });
      }
      const cited = new Map(before.citations.map(({ n, documentId }) => [n, documentId]));
      const again = await askedAgain(question, recorded, scopeOf(pack, tenant, access), store);
      const context = contextFor(pack, domains.profile(pack, profile), { type: "shipped" });
      return bindCorrection({ id, text, question: again, cited }, context);
    },
  });
}

type RecordedQuestion = AnswerRecord["question"];

async function recordedQuestions(ids: readonly string[], { records }: Pick<Store, "records">): Promise<Map<string, RecordedQuestion>> {
  const bodies = await records.bodies(ids);
  return new Map([...bodies].map(([id, body]) => [id, (body as AnswerRecord).question]));
}

/**
 * Rebuilds a recorded question, with its filters applied to today's documents.
 * @throws RequestError `unknown_document`, `unknown_chapter`, `unknown_section`, `unknown_page`
 */
async function askedAgain(
  text: string,
  { resolved, profile, detail, selection, history, filters = null }: RecordedQuestion,
  scope: Scope,
  { documents }: Pick<Store, "documents">,
): Promise<Question> {
  const limited = await applyFilters(filters, scope, documents);
  return { text, resolved, scope, profile, detail, selection, history, sessionId: null, injectionSignals: [], ...limited };
}

/** Describes recorded filters by today's documents; a generic description stands for documents that the asker may no longer see. */
async function named(
  filters: RecordedQuestion["filters"],
  scope: Scope,
  { documents }: Pick<Store, "documents">,
): Promise<AppliedFilters | null> {
  if (!filters) return null;
  try {
    return (await applyFilters(filters, scope, documents)).filters ?? null;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { ...filters, searchedIn: "a part of the documents that no longer exists" };
  }
}
