import type { Hit, Judgement } from "../remember/hit.ts";
import type { AskRequest } from "../types.ts";
import { admit } from "./admit.ts";
import { lookup, notAsked } from "./lookup.ts";
import type { AnswerParts } from "./parts.ts";
import { recall } from "./recall.ts";
import { assertCanRun, retrieve } from "./retrieve.ts";
import { SILENT_LOG } from "./trace.ts";

/** What the caches would do with a question. */
export interface CacheExplanation {
  readonly question: string;
  /** As it is looked up, when that differs. */
  readonly resolved: string;
  readonly profile: string;
  readonly levels: readonly string[];
  readonly cacheMode: Hit["level"] | "miss";
  /** Why the caches are not asked at all; `null`: they are. */
  readonly notAsked: string | null;
  /** Every stored question that was looked at, with the rule that decided; one that is served ends it. */
  readonly judged: readonly Judgement[];
}

/** Looks a question up as `answer` does and says of every candidate which rule decided; reads only. */
export async function explainCache(request: AskRequest, parts: AnswerParts, signal: AbortSignal): Promise<CacheExplanation> {
  assertCanRun(parts);
  const question = await admit(request, parts, SILENT_LOG);
  const known = await lookup(question, parts, SILENT_LOG, "none");
  const found = known.hit === null && known.asked !== null ? await retrieve(question, parts, SILENT_LOG, signal) : null;
  const late = found === null ? { hit: null, judged: [] } : await recall({ question, known, found }, parts, SILENT_LOG, signal, "none");
  return {
    question: question.text,
    resolved: question.resolved,
    profile: question.profile,
    levels: parts.questions.embed === null ? parts.profile.caches.filter((level) => level === "exact") : parts.profile.caches,
    cacheMode: (known.hit ?? late.hit)?.level ?? "miss",
    notAsked: await notAsked(question, parts),
    judged: [...known.judged, ...late.judged],
  };
}
