import type { CacheStore } from "../store/cache.ts";
import type { CacheEntry } from "../store/cached.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { QuestionNodes } from "../store/graph.ts";
import type { Answer, Scope, StoredDocument } from "../types.ts";
import { citedSources, retrievedFor } from "./named-documents.ts";
import { reanchor } from "./reanchor.ts";
import type { StoredAnswers } from "./stored-answers.ts";

export interface ReverifyParts {
  readonly cache: Pick<CacheStore, "delete" | "revive">;
  readonly answers: Pick<StoredAnswers, "read">;
  readonly documents: Pick<DocumentStore, "load">;
  /** Runs today's checks over a stored answer; only a clean one may be served. */
  readonly recheck: (answer: Answer) => Promise<boolean>;
  readonly classify: (question: string) => QuestionNodes;
}

/** A stored answer that may be served, or the rule by which it may not. */
export type Reverified =
  | { readonly type: "safe"; readonly answer: Answer; readonly reanchored: boolean }
  | { readonly type: "unsafe"; readonly rule: "flagged" | "documents" | "quotes" | "checks"; readonly reason: string };

/**
 * Everything that must hold of a stored answer today, whatever found it (DESIGN.md, section 6): no person has flagged it, every document that it names is
 * visible and of the version that it names, every quote stands byte for byte, and the checks find nothing. An answer whose document changed elsewhere is
 * anchored anew first. One that fails is dropped, unless it is only looked at.
 * @param effects `"none"` reads only, for explanations
 */
export async function reverify(
  entry: CacheEntry,
  scope: Scope,
  parts: ReverifyParts,
  effects: "drop" | "none" = "drop",
): Promise<Reverified> {
  if (entry.reviewStatus === "flagged") return { type: "unsafe", rule: "flagged", reason: "a person has flagged the stored answer" };
  const judged = await judge(entry, scope, parts, effects);
  if (judged.type === "unsafe" && effects === "drop") await parts.cache.delete(entry.key);
  return judged;
}

async function judge(entry: CacheEntry, scope: Scope, parts: ReverifyParts, effects: "drop" | "none"): Promise<Reverified> {
  const current = await parts.documents.load(
    scope,
    entry.documents.map(({ id }) => id),
  );
  const absent = entry.documents.some(({ id }) => !current.has(id));
  if (entry.documents.length === 0 || absent) return changed("a document that it names is gone or no longer visible");
  const stored = parts.answers.read(entry.key, entry.answer);
  const isCurrent = entry.documents.every(({ id, version }) => current.get(id)?.version === version);
  if (isCurrent !== (entry.state === "served")) return changed("a document that it names has changed");
  const anchored = isCurrent ? { answer: stored, documents: entry.documents } : reanchor(stored, entry.documents, current);
  if (anchored === null) return changed("its quotes do not stand once and unchanged in the changed document");
  const { answer, documents } = anchored;
  if (!quotesStand(answer, current))
    return { type: "unsafe", rule: "quotes", reason: "a quote does not stand byte for byte in its document" };
  if (!(await parts.recheck(answer)))
    return { type: "unsafe", rule: "checks", reason: "today's checks find something in the stored answer" };
  if (isCurrent || effects === "none") return { type: "safe", answer, reanchored: !isCurrent };
  const revived = await parts.cache.revive({
    key: entry.key,
    domain: scope.domain,
    answer: JSON.stringify(answer),
    documents,
    sources: citedSources(answer),
    retrieved: retrievedFor(answer),
    nodes: entry.question === null ? null : parts.classify(entry.question),
  });
  return revived ? { type: "safe", answer, reanchored: true } : changed("a document that it names has changed again");
}

function changed(reason: string): Reverified {
  return { type: "unsafe", rule: "documents", reason };
}

function quotesStand({ citations }: Answer, current: ReadonlyMap<string, StoredDocument>): boolean {
  return (
    citations.length > 0 &&
    citations.every(({ documentId, documentVersion, start, end, quote, context, quoteStart, row }) => {
      const document = current.get(documentId);
      if (document === undefined || document.version !== documentVersion) return false;
      const { text } = document;
      return (
        text.slice(start, end) === quote &&
        text.slice(start - quoteStart, start - quoteStart + context.length) === context &&
        (row === undefined || text.slice(row.header.start, row.header.end) === row.header.text)
      );
    })
  );
}
