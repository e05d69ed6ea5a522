import { answer } from "../answer.ts";
import { hotlinesFirst } from "../guard/hotlines.ts";
import type { PipelineContext } from "../pipeline/context.ts";
import { explainCache } from "../pipeline/lookup.ts";
import type { WriteMode } from "../profiles/profile.ts";
import type { Config } from "../shared/config.ts";
import { RequestError } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Answer, AskRequest, Warning } from "../shared/types.ts";
import { askingScope, type DomainPack } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { AskOptions, ScopeOptions } from "./engine-types.ts";
import { fitToIndex, type GateThresholds } from "./gate-thresholds.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";
import type { ContextFor } from "./pipeline-context.ts";
import type { createProver } from "./proofs.ts";
import { createSuggester } from "./suggestions.ts";

export function createAsking(
  { config, store }: Opened,
  domains: Domains,
  indexes: Indexes,
  {
    thresholds,
    contextFor,
    prove,
  }: { readonly thresholds: GateThresholds; readonly contextFor: ContextFor; readonly prove: ReturnType<typeof createProver>["prove"] },
) {
  const askedContext = async (pack: DomainPack, name: string, mode?: WriteMode): Promise<PipelineContext> => {
    const profile = domains.profile(pack, name, mode);
    return contextFor(pack, profile, thresholds.of(pack, profile));
  };
  async function* path(question: string, options: AskOptions): AsyncGenerator<AnswerEvent, void> {
    const pack = domains.pack(options.domain);
    const request = requestOf(question, options, pack, config);
    await indexes.of(pack.name).ready();
    const profile = domains.profile(pack, request.profile, options.write);
    const threshold = options.measuring === true ? { type: "none" as const } : thresholds.of(pack, profile);
    const events = answer(request, contextFor(pack, profile, threshold), signalOf(options));
    if (options.proof !== true) return yield* events;
    for await (const event of events) yield event.type === "answer" ? { ...event, answer: await withProof(event.answer, options) } : event;
  }
  /** Attaches a proof; without one, the answer gets a warning instead of an error. */
  const withProof = async (made: Answer, options: AskOptions): Promise<Answer> => {
    try {
      return { ...made, proof: { ...(await prove(made.id, options)) } };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { ...made, proof: null, warnings: [...made.warnings, { code: "proof_missing", message: error.message }] };
    }
  };
  /** Returns the texts of the hotlines that a message calls for; `ask` includes them by itself. */
  const hotlines = (message: string, name?: string): Promise<readonly Warning[]> => domains.hotlines(name)(message);
  /**
   * Answers a question as a stream of events; the last one is the answer.
   * @example
   * import { createEngine, loadProcessConfig } from "sourcebound";
   * const engine = await createEngine(loadProcessConfig());
   * for await (const event of engine.ask("What does a lost card cost to replace?")) {
   *   if (event.type === "sentence") console.log("sentence", event.sentence.text);
   *   if (event.type === "answer") console.log("answer", event.answer.status);
   * }
   * await engine.close();
   */
  const ask = (question: string, options: AskOptions = {}): AsyncGenerator<AnswerEvent, void> =>
    hotlinesFirst(() => hotlines(question, options.domain), path(question, options));
  /** Returns whether the documents answer a question. Nothing is stored, and neither a model nor the web is asked. */
  const isAnswered = async (question: string, options: ScopeOptions): Promise<boolean> => {
    const pack = domains.pack(options.domain);
    const request = requestOf(question, { ...options, privacy: "ephemeral" }, pack, config);
    await indexes.of(pack.name).ready();
    const context = { ...(await askedContext(pack, request.profile)), models: null, remember: null, web: null };
    for await (const event of answer(request, context, signalOf({}))) if (event.type === "answer") return event.answer.status === "ok";
    return false;
  };
  const suggest = createSuggester(store.documents, isAnswered);
  return {
    hotlines,
    ask,
    /** Answers a question without intermediate events. */
    async answer(question: string, options?: AskOptions): Promise<Answer> {
      for await (const event of ask(question, options)) if (event.type === "answer") return event.answer;
      throw new Error("answer() ended without an answer");
    },
    /** Returns up to three questions that the documents answer; each was asked before it is listed. */
    async suggestions(options: ScopeOptions = {}): Promise<readonly string[]> {
      const scope = domains.scope(options);
      return suggest(scope, await store.documents.revision(scope.domain), domains.pack(scope.domain).examples);
    },
    /** Explains the caches' decision on a question, without storing or dropping entries. */
    async explainCache(question: string, options: AskOptions = {}) {
      const pack = domains.pack(options.domain);
      const request = requestOf(question, options, pack, config);
      await indexes.of(pack.name).ready();
      return explainCache(request, await askedContext(pack, request.profile, options.write), signalOf(options));
    },
    /** Returns the pipeline's inputs, for measurements and tests. */
    pipelineContext: (domain: string, profile: string) => askedContext(domains.pack(domain), profile),
    /** Returns the dependencies of a profile's learned gate; `null` for profiles with another gate. */
    gateFacts(name?: string, profile?: string) {
      const pack = domains.pack(name);
      return thresholds.facts(pack, domains.profile(pack, profile));
    },
    /** Returns the gate's threshold for a domain's default profile and current index; `unusable` if a calibration does not fit them. */
    async gateThreshold(name?: string) {
      const pack = domains.pack(name);
      const index = indexes.of(pack.name);
      await index.read();
      return fitToIndex(thresholds.of(pack, domains.profile(pack)), {
        windows: index.windows,
        ranker: index.encoder?.id ?? null,
      });
    },
  };
}

function signalOf({ signal }: AskOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}

function requestOf(question: string, options: AskOptions, pack: DomainPack, config: Config): AskRequest {
  const { profile = config.profile ?? pack.default_profile, detail = "normal", sessionId = null, selection = null } = options;
  const { turns, filters = null, userId = null, verbose, timeLimitMs, privacy = "redacted" } = options;
  return {
    ...{ question, scope: askingScope(pack, options, config), profile, detail, sessionId, turns, selection, filters, userId, verbose },
    timeLimitMs,
    privacy: config.privacy === "ephemeral" ? "ephemeral" : privacy,
  };
}
