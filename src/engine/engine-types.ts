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

/** A question with everything but its text optional; the configuration fills the rest. */
export interface AskOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  readonly detail?: "normal" | "more" | undefined;
  readonly sessionId?: string | null | undefined;
  /** Earlier turns, oldest first, of a caller that keeps the conversation itself; in the place of those of the session. */
  readonly turns?: readonly Turn[] | undefined;
  readonly selection?: Selection | null | undefined;
  /** Searches only in the documents, chapters, sections and pages named. */
  readonly filters?: FilterRequest | null | undefined;
  /** Whose session it is; only a keyed hash of it is stored. */
  readonly userId?: string | null | undefined;
  /** What may be stored of this question; it can only tighten what the configuration says. */
  readonly privacy?: Privacy | undefined;

  /** The answer comes with its proof. @default false */
  readonly proof?: boolean | undefined;
  /** Answers whatever the learned gate's chance, asks no cache and stores nothing: how a calibration asks. @default false */
  readonly measuring?: boolean | undefined;
  /** Stages say more of themselves in their `-end` events, such as which pieces came first and why. @default false */
  readonly verbose?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Health {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  /** What the documents are about, in one line. */
  readonly title: string;
  /** Questions to try. */
  readonly examples: readonly string[];
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly encoder: string;
  readonly model: string;
  /** Name of the calibration whose threshold holds; `null`: the shipped one. */
  readonly calibration: string | null;
  /** What somebody should look at: a calibration that cannot be used. */
  readonly warnings: readonly string[];
}

/**
 * Everything in one place; open one per process and close it.
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
  /** Tells of every call of a model or an encoder, without its texts, until what it gives is called. */
  watchCalls(listener: CallListener): () => void;
  /** Texts of the hotlines that a message calls for, whatever it is; `ask` says them by itself. */
  hotlines(message: string, domain?: string): Promise<readonly Warning[]>;
  /**
   * The path of a question as events; the last one is the answer.
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
  /** The answer alone. */
  answer(question: string, options?: AskOptions): Promise<Answer>;
  domain(name?: string): DomainPack;
  /** Passages for a question, best first, by the stages that answers are made from; nothing is written or stored. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Checks an answer that somebody else wrote: against texts that are handed over, named documents, or those that a search for it finds.
   * @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text`, `sources_empty`, `unknown_document`
   */
  check(question: string, answer: string, options?: CheckOptions): Promise<VerifiedAnswer>;
  corpus(domain: string): DomainIndex;
  /** What a question passes through: for measuring and for tests. */
  pipelineContext(domain: string, profile: string): Promise<PipelineContext>;
  /** What is remembered of questions: review, sessions, feedback, figures, forgetting. */
  readonly memory: Memory;
  /** Who asks: domain and tenant by name, with the configured access unless another is given. */
  scope(options?: ScopeOptions): Scope;
  /** The same for looking at files and documents: with `everyLabel` those of every label. */
  reach(options?: ReachOptions): Promise<Scope>;
  /** A reader's verdict on an answer. @throws RequestError `unknown_answer`, `feedback_too_long`, `feedback_too_often` */
  feedback(request: FeedbackRequest, options?: ScopeOptions): Promise<void>;
  /** What the learned gate of a profile depends on; `null` for a profile whose gate is another one. */
  gateFacts(domain?: string, profile?: string): GateFacts | null;
  /** Which threshold holds for questions in a domain's own profile, as its index is now; a calibration that does not fit that is `unusable`. */
  gateThreshold(domain?: string): Promise<GateThreshold>;
  /** What the caches would do with a question, and by which rule; nothing is stored and nothing dropped. */
  explainCache(question: string, options?: AskOptions): Promise<CacheExplanation>;
  health(): Promise<Health>;
  close(): Promise<void>;
}
