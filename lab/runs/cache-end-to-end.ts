import type { Engine } from "../../src/engine/engine.ts";
import { admit } from "../../src/pipeline/admit.ts";
import { createOutcome } from "../../src/pipeline/assemble.ts";
import { SILENT_LOG } from "../../src/pipeline/context.ts";
import { citedVersions, remember } from "../../src/pipeline/remember.ts";
import type { Answer, CacheMode } from "../../src/shared/types.ts";
import { type AskWhere, requestFor } from "./ask-fresh.ts";

/** Result of asking one question while the answer to another is stored. */
export interface Served {
  readonly served: boolean;
  /** Reason of a miss; `same` for a hit. */
  readonly rule: string;
  readonly detail: string;
  readonly score: number | null;
  readonly cosine: number | null;
  readonly level: CacheMode;
  readonly storedAs: StoredAs;
}

/** Origin of the stored answer: the engine's own, or an approved one because the own answer was a refusal or had warnings. */
type StoredAs = "own" | "approved_refused" | "approved_unclean" | "nothing";

/** Stores an answer for one question, then asks the other. */
export type Serve = (stored: string, asked: string) => Promise<Served>;

/**
 * Creates the end-to-end measurement: asks `a` of the engine, which stores its answer if it has no warnings; otherwise stores an answer
 * from the best passages through the same code. Approves it, then asks `b`. Clears the cache between pairs.
 */
export function createEndToEnd(engine: Engine, where: AskWhere): Serve {
  return async (stored, asked) => {
    where.signal.throwIfAborted();
    await engine.store.cache.clear(null);
    const own = await engine.answer(stored, where);
    const isOwn = (await engine.store.cache.count()) > 0;
    const answer = isOwn ? own : await storeInstead(engine, stored, where);
    if (answer !== null) await approve(engine, answer);
    const storedAs: StoredAs = isOwn ? "own" : answer === null ? "nothing" : APPROVED_INSTEAD[own.status];
    const { judged } = await engine.explainCache(asked, where);
    const { cacheMode } = await engine.answer(asked, where);
    const served = cacheMode !== "miss";
    const [judgement] = judged.filter((one) => one.served === served && one.question !== null);
    return {
      served,
      rule: served ? "same" : (judgement?.rule ?? (storedAs === "nothing" ? "nothing_stored" : "not_found")),
      detail: judgement?.reason ?? "",
      score: judgement?.score ?? null,
      cosine: judgement?.cosine ?? null,
      level: cacheMode,
      storedAs,
    };
  };
}

const APPROVED_INSTEAD = { ok: "approved_unclean", insufficient_context: "approved_refused", error: "approved_refused" } as const;

/** Stores an answer from the best passages, without the answerability decision and without warnings; `null`: no quote. */
async function storeInstead(engine: Engine, text: string, where: AskWhere): Promise<Answer | null> {
  const answer = await engine.answer(text, { ...where, measuring: true });
  if (answer.status !== "ok") return null;
  const request = requestFor(text, engine, where);
  const parts = await engine.pipelineContext(request.scope.domain, request.profile);
  const approved = {
    ...answer,
    warnings: [],
    claims: answer.claims.filter(({ status }) => status === "supported" || status === "unchecked"),
    checks: answer.checks.filter(({ verdict }) => verdict === "pass"),
  };
  const question = await admit(request, parts, SILENT_LOG);
  await remember({ question, answer: approved, outcome: createOutcome() }, parts, SILENT_LOG);
  return (await engine.store.cache.count()) > 0 ? approved : null;
}

async function approve({ store }: Engine, answer: Answer): Promise<void> {
  const outcome = await store.review.approve({ id: answer.id, by: "evaluation", versions: citedVersions(answer) });
  if (outcome !== "done") throw new Error(`the answer ${answer.id} could not be approved: ${outcome}`);
}
