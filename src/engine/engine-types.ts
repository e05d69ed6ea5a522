import type { GateFacts, GateThreshold } from "../evidence/calibration.ts";
import type { FeedbackRequest, Memory } from "../memory/memory.ts";
import type { CallListener } from "../models/watched.ts";
import type { PipelineContext } from "../pipeline/context.ts";
import type { CacheExplanation } from "../pipeline/lookup.ts";
import type { VerifiedAnswer } from "../pipeline/verify-answer.ts";
import type { DomainIndex } from "../retrieval/domain-index.ts";
import type { Config } from "../shared/config.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Answer, FilterRequest, Privacy, Scope, Selection, Turn, Warning } from "../shared/types.ts";
import type { Store } from "../store/store.ts";
import type { EngineDocuments } from "./documents.ts";
import type { DomainPack } from "./domain.ts";
import type { createProver } from "./proofs.ts";
import type { createReportReader } from "./reports.ts";
import type { CheckOptions, ReachOptions, Replayer, ScopeOptions, SearchOptions, SearchResult } from "./service-types.ts";
import type { createSources } from "./sources.ts";
import type { createUploads } from "./uploads.ts";
import type { createWorker } from "./worker.ts";

export type { CacheExplanation } from "../pipeline/lookup.ts";
export type { IngestOptions } from "./documents.ts";
export type { SwitchOptions } from "./indexes.ts";
export type { EngineParts } from "./open.ts";
export type * from "./service-types.ts";
export type { CrawlRequest } from "./sources.ts";

/** Options of a question; the configuration supplies the rest. */
export interface AskOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  readonly detail?: "normal" | "more" | undefined;
  readonly sessionId?: string | null | undefined;
  /** Earlier turns, oldest first, from a caller that keeps the conversation itself; they replace those of the session. */
  readonly turns?: readonly Turn[] | undefined;
  readonly selection?: Selection | null | undefined;
  /** Limits the search to the named documents, chapters, sections and pages. */
  readonly filters?: FilterRequest | null | undefined;
  /** Owner of the session; only a keyed hash is stored. */
  readonly userId?: string | null | undefined;
  /** Storage of this question; can only be stricter than the configuration. */
  readonly privacy?: Privacy | undefined;

  /** Attaches a proof to the answer. @default false */
  readonly proof?: boolean | undefined;
  /** Ignores the threshold of the learned gate, bypasses the cache and stores nothing; used by calibration. @default false */
  readonly measuring?: boolean | undefined;
  /** Adds details to `-end` events, such as the top candidates and their scores. @default false */
  readonly verbose?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Health {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  /** Subject of the documents, in one line. */
  readonly title: string;
  readonly examples: readonly string[];
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly encoder: string;
  readonly model: string;
  /** Name of the calibration in use; `null`: the shipped threshold. */
  readonly calibration: string | null;
  /** Problems for an administrator, such as an unusable calibration. */
  readonly warnings: readonly string[];
}

/**
 * The answer engine. Open one per process and close it at the end.
 * @example
 * import { createEngine, loadProcessConfig } from "sourcebound";
 * const engine = await createEngine(loadProcessConfig());
 * for await (const event of engine.ingest("documents")) if (event.type === "ingest-end") console.log(event.counts.added);
 * const { status, citations } = await engine.answer("What does a lost card cost to replace?");
 * console.log(status, citations[0].quote);
 * await engine.close();
 */
export interface Engine
  extends EngineDocuments,
    ReturnType<typeof createUploads>,
    ReturnType<typeof createReportReader>,
    ReturnType<typeof createProver>,
    ReturnType<typeof createSources>,
    Pick<ReturnType<typeof createWorker>, "work">,
    Replayer {
  readonly config: Config;
  readonly store: Store;
  /** Reports every call of a model or an encoder, without its texts. @returns a function that ends the subscription */
  watchCalls(listener: CallListener): () => void;
  /** Returns the texts of the hotlines that a message calls for; `ask` includes them by itself. */
  hotlines(message: string, domain?: string): Promise<readonly Warning[]>;
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
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void>;
  /** Answers a question without intermediate events. */
  answer(question: string, options?: AskOptions): Promise<Answer>;
  domain(name?: string): DomainPack;
  /** Retrieves passages, best first, by the retrieval stages of an answer; stores nothing. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Checks an external answer against given texts, named documents, or documents that a search finds.
   * @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text`, `sources_empty`, `unknown_document`
   */
  check(question: string, answer: string, options?: CheckOptions): Promise<VerifiedAnswer>;
  corpus(domain: string): DomainIndex;
  /** Returns the pipeline's inputs, for measurements and tests. */
  pipelineContext(domain: string, profile: string): Promise<PipelineContext>;
  /** Stored questions: review, sessions, feedback, statistics, deletion. */
  readonly memory: Memory;
  /** Returns a scope by domain and tenant, with the configured access unless another is given. */
  scope(options?: ScopeOptions): Scope;
  /** Returns a scope for listing files and documents; with `everyLabel` it includes every label. */
  reach(options?: ReachOptions): Promise<Scope>;
  /** Stores a user's verdict on an answer. @throws RequestError `unknown_answer`, `feedback_too_long`, `feedback_too_often` */
  feedback(request: FeedbackRequest, options?: ScopeOptions): Promise<void>;
  /** Returns the dependencies of a profile's learned gate; `null` for profiles with another gate. */
  gateFacts(domain?: string, profile?: string): GateFacts | null;
  /** Returns the gate's threshold for a domain's default profile and current index; `unusable` if a calibration does not fit them. */
  gateThreshold(domain?: string): Promise<GateThreshold>;
  /** Explains the caches' decision on a question, without storing or dropping entries. */
  explainCache(question: string, options?: AskOptions): Promise<CacheExplanation>;
  health(): Promise<Health>;
  close(): Promise<void>;
}
