import { z } from "zod";
import type { CheckContext } from "../checks/check.ts";
import type { GuardFacts, Vocabulary } from "../checks/guards.ts";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import type { GateThreshold } from "../evidence/calibration.ts";
import type { Precedence } from "../evidence/conflicts.ts";
import type { FactReader } from "../evidence/facts.ts";
import type { WebParts } from "../evidence/web.ts";
import type { HotlineFinder } from "../guard/hotlines.ts";
import type { Classify } from "../memory/classify.ts";
import type { Matcher } from "../memory/matcher.ts";
import type { QuestionIndex } from "../memory/recall.ts";
import type { ReportParts } from "../memory/report.ts";
import type { CacheScope, StoredAnswers } from "../memory/stored-answers.ts";
import type { Calibration } from "../models/calibration/calibration.ts";
import type { ChatModel } from "../models/chat.ts";
import type { Encoder } from "../models/encoder.ts";
import type { PriceTable } from "../models/prices.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PassageVerifier } from "../models/verifier.ts";
import type { Profile } from "../profiles/profile.ts";
import type { RankingWeights } from "../ranking/features.ts";
import type { DomainIndex } from "../retrieval/domain-index.ts";
import type { RetrieveParts } from "../retrieval/retrieve.ts";
import type { Config } from "../shared/config.ts";
import { ModelError } from "../shared/errors.ts";
import type { AnswerEvent, AnswerStage } from "../shared/events.ts";
import type { AskRequest, Scope } from "../shared/types.ts";
import type { Store } from "../store/store.ts";

/** The dependencies of all stages for one question; the engine wires them. */
export interface PipelineContext {
  readonly profile: Profile;
  readonly store: Store;
  readonly documents: Pick<Store["documents"], "load" | "outlines">;
  readonly corpus: DomainIndex;
  /** `null`: BM25 alone ranks. */
  readonly encoder: Encoder | null;
  /** Rerankers by the name that profiles use. A profile that names a missing reranker runs without one. */
  readonly rerankers?: NonNullable<RetrieveParts["rerankers"]>;
  /** Models that write; `null`: answers are extractive. */
  readonly models: Models;
  readonly compare: { readonly reader: FactReader; readonly precedence: Precedence };
  /** Minimum confidence for an answer. Applies only to profiles with a gate of type `sufficiency`. */
  readonly threshold: GateThreshold;
  /** Returns the models that rank candidates; they are loaded on first use. */
  readonly ranking: () => RankingModels;
  /** Returns whether a word (lower case) is common English. */
  readonly isCommon: (word: string) => boolean;
  /** Scores whether one passage supports another. Used where comparing their facts by rules finds neither agreement nor conflict. */
  readonly agreement: Pick<SupportScorer, "score">;
  /** Language model whose scores of passages replace the rule-based scores; `null`: rule-based scores only. */
  readonly verifier: { readonly verifier: PassageVerifier; readonly timeoutMs: number } | null;
  readonly calibrations: readonly Calibration[];
  /** Maximum prompt length of the model in tokens; the profile's limit applies too. `null`: only the profile's limit applies. */
  readonly modelTokens: number | null;
  /** Loads the token counter; called only when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
  readonly prices: PriceTable;
  /** Maximum length of a question in characters. */
  readonly maxCharacters: number;
  readonly language: string;
  /** Terms that make a question complex, by category. Profiles may route complex questions to the large model. */
  readonly complexity: Readonly<Partial<Record<string, readonly string[]>>>;
  /** Returns a description of the documents in one line. */
  readonly about: (scope: Scope) => Promise<string>;
  readonly hotlines: HotlineFinder;
  /** Returns whether a message signals a crisis. If so, only the hotline is shown, and later questions ignore the message. */
  readonly isCrisis: (message: string) => Promise<boolean>;
  /** Returns whether a question gives instructions to the system. */
  readonly isInstruction: (question: string) => boolean;
  readonly cache: CacheScope;
  /** In-memory cache of stored answers, parsed and checked. */
  readonly answers: StoredAnswers;
  /** `null`: nothing is stored and no cache is used. */
  readonly remember: RememberSettings | null;
  /** Index and functions that find stored answers to paraphrases of a question. */
  readonly questions: {
    readonly index: QuestionIndex;
    readonly classify: Classify;
    readonly matcher: Matcher;
    /** Embeds a question locally; `null`: only identical questions match. */
    readonly embed: ((text: string) => Promise<{ readonly model: string; readonly values: Float32Array }>) | null;
  };
  /** `null`: no web search is configured. */
  readonly web: WebParts | null;
  readonly check: Omit<CheckContext, "settings" | "question" | "guards">;
  readonly guards: Pick<GuardFacts, "contacts"> & { readonly tenants: Readonly<Record<string, Vocabulary>> };
  /** Contacts for refusals. */
  readonly contacts: readonly {
    readonly name: string;
    readonly contact: string;
    readonly when: readonly string[];
    /** The only tenant that may see the contact; `null` or absent: every tenant. */
    readonly tenant?: string | null;
  }[];
  /** Dependencies of diagnostic reports. `warn` is called with the reason if a report cannot be stored. */
  readonly reports: Pick<ReportParts, "topics" | "readTopics" | "isCommon"> & { readonly warn: (message: string) => void };
  /** Settings of this domain and profile that affect answers. */
  readonly settings: RecordedSettings;
  /** Model calls in order, added while the question is answered; `null` if some calls are not recorded. */
  readonly modelCalls: readonly RecordedCall[] | null;
  readonly createId: () => string;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** Awaited before each stage except `write`, so that other questions on the same thread can run in between. */
  readonly turn: () => Promise<void>;
}

/** Models that write; `null`: answers are extractive. */
export type Models = { readonly small: ChatModel; readonly large: ChatModel } | null;

export interface RankingModels {
  readonly weights: RankingWeights;
  /** Id of the encoder that the weights were trained with. */
  readonly encoder: string;
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  /** The cross-encoder that the weights were trained with; `null`: unavailable, so the first stage alone orders candidates. */
  readonly read: ReadTexts | null;
}

export const recordedCallSchema = z.object({
  model: z.string(),
  /** SHA-256 of the prompt in hexadecimal. */
  prompt: z.string(),
  /** Text of the prompt; absent in records of earlier versions. */
  sent: z.object({ system: z.string(), user: z.string() }).optional(),
  text: z.string(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** Error at the end of the stream; `null` if the stream ended normally or the caller stopped reading. */
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type RecordedCall = Readonly<z.infer<typeof recordedCallSchema>>;

/** Settings that affected an answer. Records of answers with equal settings share one stored copy. */
export interface RecordedSettings {
  readonly software: string;
  /** Revision of the checks; absent: the first revision. */
  readonly checks?: number | undefined;
  /** Hash of all settings that affect answers. */
  readonly configHash: string;
  /** Id of the configured encoder; `null`: BM25 alone. */
  readonly encoder: string | null;
  /** Copies of the domain pack (without its folder), the profile and the gate threshold. */
  readonly pack: unknown;
  readonly profile: unknown;
  readonly threshold: unknown;
}

/** Retention periods and maximum numbers of cached answers, conversation turns and reports. */
export interface RememberSettings {
  readonly cache: Pick<Config["cache"], "enabled" | "hours" | "entries" | "serve_flagged">;
  readonly session: Config["session"];
  readonly reports: Config["reports"];
}

type StageFact = string | number | boolean | null;
export type StageFacts = Record<string, StageFact>;

export interface StageLog {
  fact(name: string, value: StageFact): void;
  /** A diagnostic fact, computed only with `verbose`. */
  detail(name: string, value: () => StageFact): void;
  notice(code: string, message: string): void;
}

export const SILENT_LOG: StageLog = { fact: () => undefined, detail: () => undefined, notice: () => undefined };

/** Times the stages of one question and yields their `-start` and `-end` events. Waits for a turn count only in `elapsed`. */
export function createTrace({ clock, turn }: Pick<PipelineContext, "clock" | "turn">, { verbose = false }: Pick<AskRequest, "verbose">) {
  const begun = clock();
  const timings: Record<string, number> = {};
  return {
    timings,
    /** Milliseconds since the trace began. */
    elapsed: () => round(clock() - begun),
    /** Runs one stage; the value of `yield*` is the stage's result. */
    async *stage<T>(name: AnswerStage, run: (log: StageLog) => T | Promise<T>): AsyncGenerator<AnswerEvent, T> {
      yield { type: `${name}-start` };
      await turn();
      const start = clock();
      const facts: StageFacts = {};
      const notices: { code: string; message: string }[] = [];
      const result = await run({
        fact: (fact, value) => Object.assign(facts, { [fact]: value }),
        detail: (fact, value) => verbose && Object.assign(facts, { [fact]: value() }),
        notice: (code, message) => notices.push({ code, message }),
      });
      timings[name] = round(clock() - start);
      for (const notice of notices) yield { type: "notice", stage: name, ...notice };
      yield { type: `${name}-end`, ms: timings[name], facts };
      return result;
    },
  };
}
export type Trace = ReturnType<typeof createTrace>;

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * Returns a signal that aborts when `signal` aborts, or after `ms` milliseconds with a ModelError `model_timeout`. An
 * infinite `ms` sets no limit. A timeout ends the model call but not the answer. `end` releases the timer.
 */
export function limitModel(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; end(): void } {
  const expired = new AbortController();
  const expire = () => expired.abort(new ModelError("model_timeout", "it did not finish within the time limit of the answer"));
  const timer = Number.isFinite(ms) ? setTimeout(expire, ms) : undefined;
  return { signal: AbortSignal.any([signal, expired.signal]), end: () => clearTimeout(timer) };
}
