import { answer } from "../../src/answer.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { answerIn } from "../../src/shared/events.ts";
import type { Answer, AskRequest } from "../../src/shared/types.ts";

export interface AskWhere {
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly signal: AbortSignal;
}

/** Builds the request that `engine.answer` makes when only domain and profile are given. */
export function requestFor(question: string, { config, domain }: Pick<Engine, "config" | "domain">, where: AskWhere): AskRequest {
  const pack = domain(where.domain);
  return {
    question,
    scope: { domain: pack.name, tenant: null, access: config.access },
    profile: where.profile ?? config.profile ?? pack.default_profile,
    detail: "normal",
    sessionId: null,
    selection: null,
  };
}

/** Answers a question without cache lookup and without storing anything. */
export async function askFresh(engine: Engine, question: string, where: AskWhere): Promise<Answer> {
  const request = requestFor(question, engine, where);
  await engine.corpus(request.scope.domain).ready();
  const parts = { ...(await engine.pipelineContext(request.scope.domain, request.profile)), remember: null };
  return answerIn(answer(request, parts, where.signal));
}
