import { z } from "zod";
import type { Answer, Scope } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { StoredTurn } from "../store/sessions.ts";
import { httpUrl } from "../text/paths.ts";
import { documentsIn, redactAnswered } from "./named-documents.ts";

const shownSchema = z.object({
  answerId: z.string(),
  status: z.string(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(
    z.object({
      n: z.int(),
      documentId: z.string(),
      documentVersion: z.string(),
      title: z.string(),
      url: z.string().nullable(),
      quote: z.string(),
      start: z.int(),
      end: z.int(),
    }),
  ),
  /** Ids of the documents on which sentences without a citation may be based. Absent if every sentence has a citation. */
  documents: z.array(z.string()).optional(),
});
type Shown = z.infer<typeof shownSchema>;

export type SessionCitation = Shown["citations"][number] & {
  /** True if the citation refers to the current version of its document. */
  readonly current: boolean;
};

/** A question or an answer of a session, in the form in which it was shown. */
export type SessionMessage =
  | { readonly role: "user"; readonly content: string; readonly at: string }
  | {
      readonly role: "assistant";
      /**
       * Sentences, each with the numbers `[n]` of its citations. `null` if withheld, because a document of the answer is
       * deleted or no longer visible.
       */
      readonly content: string | null;
      readonly at: string;
      readonly answerId: string | null;
      readonly citations: readonly SessionCitation[];
    };

/**
 * Returns what was shown of an answer, as JSON text to store in its session.
 * @param isStored true for an answer from the cache, whose text is already redacted
 */
export function sessionShown(answer: Answer, isStored = false): string {
  const { id: answerId, status } = answer;
  const sentences = answer.sentences.map(({ text, citations }) => ({ text: isStored ? text : redactAnswered(text, answer), citations }));
  const documents = sentences.every((one) => one.citations.length > 0) ? undefined : documentsIn(answer);
  return JSON.stringify(shownSchema.parse({ answerId, status, sentences, citations: answer.citations, documents }));
}

/** Returns the ids of the documents on which a session's answer is based. */
export function documentsShown(text: string | null): string[] {
  return text === null ? [] : restsOn(shownSchema.parse(JSON.parse(text)));
}

function restsOn({ citations, documents = [] }: Shown): string[] {
  return [...new Set([...citations.map(({ documentId }) => documentId), ...documents])];
}

/**
 * Returns the messages of a session for its owner. Answers based on documents that the owner may not see today are
 * withheld.
 */
export async function sessionMessages(
  turns: readonly StoredTurn[],
  scope: Scope,
  documents: Pick<DocumentStore, "load">,
): Promise<SessionMessage[]> {
  const shown = turns.map(({ shown }) => (shown === null ? null : shownSchema.parse(JSON.parse(shown))));
  const ids = [...new Set(shown.flatMap((one) => (one === null ? [] : restsOn(one))))];
  const visible = await documents.load(scope, ids);
  return turns.flatMap(({ question, answer, createdAt }, i): SessionMessage[] => {
    const kept = shown[i] ?? null;
    const seen = kept === null || restsOn(kept).every((id) => visible.has(id));
    const text = kept === null || kept.sentences.length === 0 ? answer : withMarkers(kept);
    const citations =
      kept?.citations.map((one) => {
        const current = visible.get(one.documentId)?.version === one.documentVersion;
        return { ...one, url: httpUrl(one.url), current };
      }) ?? [];
    return [
      { role: "user", content: question, at: createdAt },
      {
        ...{ role: "assistant", content: seen ? text : null, at: createdAt },
        ...{ answerId: kept?.answerId ?? null, citations: seen ? citations : [] },
      },
    ];
  });
}

function withMarkers({ sentences }: Shown): string {
  return sentences.map(({ text, citations }) => `${text}${citations.map((n) => ` [${n}]`).join("")}`).join(" ");
}
