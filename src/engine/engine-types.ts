import type { CacheExplanation } from "../answer/lookup.ts";
import type { AnswerParts } from "../answer/parts.ts";
import type { VerifiedAnswer } from "../answer/verify-answer.ts";
import type { GeneralWords } from "../compare/general-words.ts";
import type { Config } from "../config.ts";
import type { AnswerEvent, IngestEvent } from "../events.ts";
import type { FileReader } from "../ingest/file-reader.ts";
import type { EmbeddedEncoder } from "../models/embedded-encoder.ts";
import type { Encoder } from "../models/encoder.ts";
import type { EncoderSpec } from "../models/encoder-spec.ts";
import type { CallListener } from "../models/watched.ts";
import type { WebNetwork } from "../models/web-page.ts";
import type { Profile } from "../profiles/profile.ts";
import type { CitationStanding } from "../remember/citation-states.ts";
import type { Matcher } from "../remember/matcher.ts";
import type { FeedbackRequest, Memory } from "../remember/memory.ts";
import type { Corpus } from "../retrieve/corpus.ts";
import type { RetrieveParts } from "../retrieve/retrieve.ts";
import type { CorpusCounts, FileDescription } from "../store/document-records.ts";
import type { Store } from "../store/store.ts";
import type { Answer, FilterRequest, Privacy, Scope, Selection, Turn, Warning } from "../types.ts";
import type { GateFacts, GateThreshold } from "../verify/calibration.ts";
import type { ScanEvent } from "../verify/scan-conflicts.ts";
import type { DomainPack } from "./domain.ts";
import type {
  CheckOptions,
  JobEvent,
  Originals,
  Prover,
  ReachOptions,
  RefreshResult,
  Replayer,
  ReportReader,
  ScopeOptions,
  SearchOptions,
  SearchResult,
  Uploads,
  WorkOptions,
} from "./service-types.ts";

export type { CacheExplanation } from "../answer/lookup.ts";
export type * from "./service-types.ts";

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

export interface IngestOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  /** Paths of documents are relative to this; the folder itself when absent. */
  readonly root?: string | undefined;
  readonly source?: string | undefined;
  readonly access?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
  /** The folder is gone afterwards: a refresh does not look for it. @default false */
  readonly passing?: boolean | undefined;
  /** Reads and reports, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CrawlRequest extends IngestOptions {
  /** Links followed from the address on. @default DEFAULT_CRAWL_DEPTH */
  readonly depth?: number | undefined;
  /** Hosts that may be asked, with their subdomains. @default the one of the address */
  readonly hosts?: readonly string[] | undefined;
  /** @default DEFAULT_CRAWL_PAGES */
  readonly maxPages?: number | undefined;
}

export interface SwitchOptions {
  readonly domain?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: ((done: number, total: number) => void) | undefined;
}

export interface ConflictOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
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

/** What an engine does with the documents of its domains. */
export interface EngineDocuments {
  /** Leaves the reading of a folder to a worker, which must see it under the same path. @throws RequestError `unknown_domain`, `unknown_tenant` */
  queue(folder: string, options?: Omit<IngestOptions, "dryRun" | "passing" | "signal">): Promise<{ readonly id: string }>;
  /** The path of a folder of documents as events. */
  ingest(folder: string, options?: IngestOptions): AsyncGenerator<IngestEvent, void>;
  /** Files by their names below `root`, not a folder: each is taken in, and nothing else of their source changes. `refresh` does not read them again. */
  ingestFiles(paths: readonly string[], options: IngestOptions & { readonly root: string }): AsyncGenerator<IngestEvent, void>;
  /** What was ingested, by path, as far as the configured access sees it. */
  files(options?: ScopeOptions): Promise<FileDescription[]>;
  /** Takes a file's documents out with everything that rests on them. Returns how many documents went. */
  deleteFile(file: Pick<FileDescription, "source" | "path" | "tenant">, options?: { domain?: string | undefined }): Promise<number>;
  /** Ingests the documents that a domain pack brings: those of everybody, then each tenant's own; every folder ends with an `ingest-end`. */
  ingestDomain(domain: string, signal?: AbortSignal): AsyncGenerator<IngestEvent, void>;
  /**
   * What became of an answer's quotes in today's documents: same, moved, changed or gone, and where they stand now.
   * @example
   * import { createEngine, loadProcessConfig } from "sourcebound";
   * const engine = await createEngine(loadProcessConfig());
   * const answer = await engine.answer("What does a lost card cost to replace?");
   * console.log((await engine.citationStates(answer))[0]?.state);
   * await engine.close();
   */
  citationStates(answer: Pick<Answer, "citations">, options?: ScopeOptions): Promise<CitationStanding[]>;
  /** What the retrieval stage of a domain works with: for measuring and for tests. */
  retrieveParts(domain: string): RetrieveParts;
  counts(scope: Scope): Promise<CorpusCounts>;
  /** Contradictions between the documents of a domain, as far as the configured access sees them, most certain first. */
  conflicts(options?: ConflictOptions): AsyncGenerator<ScanEvent, void>;
  /** Makes the vectors of another encoder for a domain beside those that serve, then switches at once; it stays until the configuration names another one. */
  switchEncoder(target: EncoderSpec, options?: SwitchOptions): Promise<{ domain: string; encoder: string }>;
  /**
   * Reads every source of a domain again as it was ingested last, builds its index anew from the database and puts it in the place of the old one; what
   * rested on documents that have changed goes. One at a time for a domain: who asks meanwhile gets the same result.
   */
  refresh(domain?: string): Promise<RefreshResult>;
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
export interface Engine extends EngineDocuments, ReportReader, Uploads, Prover, Replayer, Originals {
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
  /** Does what was left to workers: each job is done by one of them, however many there are. */
  work(options?: WorkOptions): AsyncGenerator<JobEvent, void>;
  /**
   * Reads pages of the web, keeps them in the data folder and ingests them: the address and what it links to, or the pages of a sitemap. Only listed hosts,
   * only public addresses, only what robots.txt allows. Again, it takes in what has changed and takes out what is gone.
   * @throws WebError when the first address cannot be had
   */
  ingestUrl(url: string, options?: CrawlRequest): AsyncGenerator<IngestEvent, void>;
  /** A file that is handed over, such as standard input; it is kept in the data folder under its name. @throws RequestError `input_name` */
  ingestBytes(file: { readonly name: string; readonly bytes: Uint8Array }, options?: IngestOptions): AsyncGenerator<IngestEvent, void>;
  domain(name?: string): DomainPack;
  /** Passages for a question, best first, by the stages that answers are made from; nothing is written or stored. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Checks an answer that somebody else wrote: against texts that are handed over, named documents, or those that a search for it finds.
   * @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text`, `sources_empty`, `unknown_document`
   */
  check(question: string, answer: string, options?: CheckOptions): Promise<VerifiedAnswer>;
  corpus(domain: string): Corpus;
  /** What a question passes through: for measuring and for tests. */
  answerParts(domain: string, profile: string): Promise<AnswerParts>;
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

export interface EngineParts {
  /** Replaces the encoder that the configuration names. */
  readonly encoder?: Encoder | null;
  /** Opens an encoder by what names it, instead of what the configuration says. */
  readonly openEncoder?: (spec: unknown) => Encoder;
  /** Gives the encoder that ships, for several engines that share one. */
  readonly embedded?: () => EmbeddedEncoder;
  /** What is known of words in every domain, for several engines that share it. */
  readonly words?: GeneralWords;
  /** Reads files in the place of a reader that is made for each ingest and closed after it; who gives it closes it. */
  readonly reader?: FileReader;
  /** Profiles beside those that ship; one of the same name takes its place. */
  readonly profiles?: readonly Profile[];
  /** Domain packs in the place of those that are read by their names. */
  readonly packs?: readonly DomainPack[];
  /** Threshold of the learned gate in the place of the calibrated one. */
  readonly threshold?: GateThreshold;
  /** Decides which stored questions are the same as the one asked. */
  readonly matcher?: Matcher;
  /** Replaces the models that the configuration names. */
  readonly models?: AnswerParts["models"];
  /** Replaces the network by which pages of the web are reached; which addresses are taken stays as it is. */
  readonly network?: WebNetwork;
  readonly now?: () => Date;
  /** Milliseconds that only grow: how long ago something was looked at. @default performance.now */
  readonly clock?: () => number;
  readonly createId?: () => string;
  /** Told what went wrong without anything being lost. @default process.emitWarning */
  readonly warn?: (message: string) => void;
}
