import { admitQuestion } from "../admit/admit.ts";
import { readFilters } from "../admit/filters.ts";
import { assertSelection } from "../admit/selection.ts";
import type { Profile } from "../profiles/profile.ts";
import { documentsShown } from "../remember/session-messages.ts";
import { applyFilters } from "../retrieve/retrieve.ts";
import type { Store } from "../store/store.ts";
import { documentOfChunk } from "../text/chunk-id.ts";
import type { AskRequest, Question, Scope, Selection, Turn } from "../types.ts";
import type { StageLog } from "./trace.ts";

export interface AdmitParts {
  readonly profile: Profile;
  readonly store: Pick<Store, "documents" | "sessions">;
  /** Characters of a question. */
  readonly maxCharacters: number;
  /** Is it a message of a crisis? What it says is taken into no later question. */
  readonly isCrisis: (message: string) => Promise<boolean>;
}

/** The question as it stands alone, within what its filters leave. @throws RequestError when it cannot be admitted */
export async function admit(request: AskRequest, parts: AdmitParts, log: StageLog): Promise<Question> {
  const { maxCharacters, store, isCrisis } = parts;
  const earlier = request.history ?? (await earlierTurns(request, parts));
  const inCrisis = await Promise.all(earlier.map((turn) => isCrisis(turn.question)));
  const history = earlier.filter((_, i) => !inCrisis[i]);
  const admitted = admitQuestion(request, history, { maxCharacters });
  if (request.selection !== null) await assertSelected(request.selection, request.scope, store);
  const question = { ...admitted, ...(await applyFilters(readFilters(request.filters), request.scope, store.documents)) };
  log.fact("history", question.history.length);
  log.fact("injection_signals", question.injectionSignals.join(",") || null);
  log.fact("searched_in", question.filters?.searchedIn ?? null);
  log.fact("resolved", question.resolved === question.text ? null : question.resolved);
  if (question.resolved !== question.text) log.notice("follow_up", `Read as: ${question.resolved}`);
  return question;
}

async function assertSelected(selection: Selection, scope: Scope, { documents }: Pick<Store, "documents">): Promise<void> {
  const { documentId } = selection;
  assertSelection(selection, (await documents.load(scope, [documentId])).get(documentId));
}

/**
 * The session's last turns; the latest with the titles of what it cites. What an answer said from a document that is gone, or that the asker may not see
 * any more, is left out: a model would repeat it.
 */
async function earlierTurns(
  { sessionId, scope, userId, turns: given }: AskRequest,
  { profile, store }: Pick<AdmitParts, "profile" | "store">,
): Promise<Turn[]> {
  if (given !== undefined) return profile.sessionTurns === 0 ? [] : given.slice(-profile.sessionTurns);
  if (sessionId === null) return [];
  const turns = await store.sessions.turns(sessionId, scope, profile.sessionTurns, userId);
  const citedBy = turns.map(({ citations }) => [...new Set(citations.map(documentOfChunk))]);
  const shownBy = turns.map(({ shown }) => documentsShown(shown));
  const visible = await store.documents.load(scope, [...new Set([...citedBy, ...shownBy].flat())]);
  return turns.map((turn, i) => {
    const cited = citedBy[i] as string[];
    const kept = [...cited, ...(shownBy[i] as string[])].every((id) => visible.has(id)) ? turn : { ...turn, answer: "" };
    if (i < turns.length - 1 || cited.length === 0) return kept;
    return { ...kept, titles: cited.flatMap((id) => visible.get(id)?.title ?? []) };
  });
}
