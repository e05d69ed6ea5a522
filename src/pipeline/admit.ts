import { injectionSignals } from "../guard/injection.ts";
import { documentsShown } from "../memory/session-messages.ts";
import { applyFilters } from "../retrieval/retrieve.ts";
import { RequestError } from "../shared/errors.ts";
import type { AskRequest, Question, Selection, StoredDocument, Turn } from "../shared/types.ts";
import { documentOfChunk } from "../text/paths.ts";
import type { PipelineContext } from "./context.ts";
import { readFilters } from "./filters.ts";
import { resolveFollowUp } from "./follow-up.ts";
import type { StageLog } from "./trace.ts";

/** Control characters other than tab and line breaks, and characters that hide or reorder text. */
const FORBIDDEN = /[\p{Cc}\u200B\u2028-\u202E\u2060-\u2069\uFEFF]/u;

/**
 * Validates a request and resolves a follow-up into a standalone question. A question about a selection is not resolved: topics of earlier
 * turns would distort the search in the selected text.
 * @throws RequestError `question_empty`, `question_too_long`, `question_control_characters`
 */
export function admitQuestion(
  request: AskRequest,
  history: readonly Turn[],
  { maxCharacters }: Pick<PipelineContext, "maxCharacters">,
): Question {
  const { filters: _, turns: __, ...rest } = request;
  const text = request.question.replaceAll(/[\t\r\n]+/g, " ").trim();
  if (text === "") throw new RequestError("question_empty", "The question is empty. Write what you want to know.");
  if (text.length > maxCharacters) {
    throw new RequestError("question_too_long", `The question has ${text.length} characters; the limit is ${maxCharacters}. Shorten it.`, {
      characters: text.length,
      limit: maxCharacters,
    });
  }
  const at = text.search(FORBIDDEN);
  if (at >= 0 || !text.isWellFormed()) {
    const code =
      at >= 0
        ? `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0")} at position ${at}`
        : "an incomplete surrogate pair";
    throw new RequestError(
      "question_control_characters",
      `The question contains a control or invisible character (${code}). Remove it and ask again.`,
    );
  }
  const resolved = request.selection === null ? resolveFollowUp(text, history).text : text;
  return { ...rest, text, resolved, history, injectionSignals: injectionSignals(text) };
}

/** Returns the standalone question with its filters resolved. @throws RequestError when it cannot be admitted */
export async function admit(request: AskRequest, context: PipelineContext, log: StageLog): Promise<Question> {
  const { store, isCrisis } = context;
  const earlier = await earlierTurns(request, context);
  const inCrisis = await Promise.all(earlier.map((turn) => isCrisis(turn.question)));
  const history = earlier.filter((_, i) => !inCrisis[i]);
  const { selection, scope } = request;
  const admitted = admitQuestion(request, history, context);
  if (selection !== null) {
    const { documentId: id } = selection;
    assertSelection(selection, (await store.documents.load(scope, [id])).get(id));
  }
  const question = { ...admitted, ...(await applyFilters(readFilters(request.filters), scope, store.documents)) };
  log.fact("history", question.history.length);
  log.fact("injection_signals", question.injectionSignals.join(",") || null);
  log.fact("searched_in", question.filters?.searchedIn ?? null);
  log.fact("resolved", question.resolved === question.text ? null : question.resolved);
  if (question.resolved !== question.text) log.notice("follow_up", `Interpreted as: ${question.resolved}`);
  return question;
}

/** Returns the session's last turns. Omits answers from documents that the asker can no longer see: a model would repeat them. */
async function earlierTurns({ sessionId, scope, userId, turns: given }: AskRequest, { profile, store }: PipelineContext): Promise<Turn[]> {
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

/**
 * Checks that a selection is a valid range of its document.
 * @param document the document as the asker may see it; `undefined`: not found or not visible
 * @throws RequestError `unknown_document`, `selection_invalid`
 */
export function assertSelection({ documentId, start, end }: Selection, document: Pick<StoredDocument, "text"> | undefined): void {
  if (document === undefined) {
    const message = `The document of the selection, "${documentId.slice(0, 100)}", does not exist or is not accessible to you. Send the id of an accessible document.`;
    throw new RequestError("unknown_document", message, { id: documentId });
  }
  const { length } = document.text;
  const invalid = (reason: string) =>
    new RequestError("selection_invalid", `The selection ${start}–${end} ${reason}.`, { start, end, characters: length });
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0) throw invalid("must be whole numbers from 0");
  if (end <= start) throw invalid("is empty: its end must be greater than its start");
  if (start >= length) throw invalid(`exceeds the document, which has ${length} characters: select again`);
}
