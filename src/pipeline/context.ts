import type { CheckContext } from "../checks/check.ts";
import type { GuardFacts } from "../checks/guards.ts";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import type { GateThreshold } from "../evidence/calibration.ts";
import type { Precedence } from "../evidence/conflicts.ts";
import type { FactReader } from "../evidence/facts.ts";
import type { WebParts } from "../evidence/web.ts";
import type { HotlineFinder } from "../guard/hotlines.ts";
import type { Vocabulary } from "../guard/terminology.ts";
import type { CacheScope } from "../memory/cache.ts";
import type { Classify } from "../memory/classify.ts";
import type { JudgeRewording } from "../memory/match.ts";
import type { Matcher } from "../memory/matcher.ts";
import type { QuestionIndex } from "../memory/question-index.ts";
import type { ReportParts } from "../memory/report.ts";
import type { StoredAnswers } from "../memory/stored-answers.ts";
import type { Calibration } from "../models/calibration/calibration.ts";
import type { ChatModel, ChatPrompt } from "../models/chat.ts";
import type { Encoder } from "../models/encoder.ts";
import type { PriceTable } from "../models/prices.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PassageVerifier } from "../models/verifier.ts";
import type { Profile } from "../profiles/profile.ts";
import type { RankingWeights } from "../ranking/features.ts";
import type { DomainIndex } from "../retrieval/domain-index.ts";
import type { RetrieveParts } from "../retrieval/retrieve.ts";
import type { Scope } from "../shared/types.ts";
import type { Store } from "../store/store.ts";

/** Everything that the stages of one question work with, wired by the engine. */
export interface PipelineContext {
  readonly profile: Profile;
  readonly store: Store;
  readonly documents: Pick<Store["documents"], "load" | "outlines">;
  readonly corpus: DomainIndex;
  /** `null`: words alone rank. */
  readonly encoder: Encoder | null;
  /** By the name that a profile gives them; what is absent does not run. */
  readonly rerankers?: NonNullable<RetrieveParts["rerankers"]>;
  /** Models that write; `null`: quotes alone answer. */
  readonly models: Models;
  readonly compare: { readonly reader: FactReader; readonly precedence: Precedence };
  /** Confidence from which the learned gate answers. */
  readonly threshold: GateThreshold;
  /** Loaded on first use. */
  readonly ranking: () => RankingModels;
  /** Is a word (lower case) one that every text uses? */
  readonly isCommon: (word: string) => boolean;
  /** Scores whether passages support each other where rules do not tell. */
  readonly agreement: Pick<SupportScorer, "score">;
  /** A model that scores passages beside the rules; `null`: none. */
  readonly verifier: ModelVerifier | null;
  readonly calibrations: readonly Calibration[];
  /** Tokens of a prompt that the model takes at most; `null`: as many as the profile gives. */
  readonly modelTokens: number | null;
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
  readonly prices: PriceTable;
  /** Characters of a question. */
  readonly maxCharacters: number;
  /** Language of the domain. */
  readonly language: string;
  /** Words that make a question complex, by category. */
  readonly complexity: Readonly<Partial<Record<string, readonly string[]>>>;
  /** What the documents are about, in one line. */
  readonly about: (scope: Scope) => Promise<string>;
  readonly hotlines: HotlineFinder;
  /** Is it a message of a crisis, beneath which nothing but the hotline may stand? What it says is taken into no later question. */
  readonly isCrisis: (message: string) => Promise<boolean>;
  readonly cache: CacheScope;
  /** Stored answers as they were read and checked. */
  readonly answers: StoredAnswers;
  /** `null`: nothing is stored, and no cache is asked. */
  readonly remember: RememberSettings | null;
  /** What finds answers to other questions. */
  readonly questions: {
    readonly index: QuestionIndex;
    readonly classify: Classify;
    readonly matcher: Matcher;
    readonly judgeRewording: JudgeRewording;
    /** Is each rewording read, also where no rule speaks against it? */
    readonly readAll: boolean;
    /** Vector of a question, on this machine; `null`: only the same question is found. */
    readonly embed: ((text: string) => Promise<{ readonly model: string; readonly values: Float32Array }>) | null;
  };
  /** `null`: no web search is configured. */
  readonly web: WebParts | null;
  readonly check: Omit<CheckContext, "settings" | "question" | "guards">;
  readonly guards: Pick<GuardFacts, "contacts"> & { readonly tenants: Readonly<Record<string, Vocabulary>> };
  readonly refusal: {
    readonly contacts: readonly {
      readonly name: string;
      readonly contact: string;
      readonly when: readonly string[];
      /** Named to this tenant only. */
      readonly tenant?: string | null;
    }[];
  };
  /** The domain's topics, and whom to tell that a report could not be kept. */
  readonly reports: Pick<ReportParts, "topics" | "readTopics" | "isCommon"> & { readonly warn: (message: string) => void };
  /** What answers of this question's domain and profile are made with. */
  readonly settings: RecordedSettings;
  /** Calls of models as they went, filled while the question is answered; `null`: not all are seen. */
  readonly modelCalls: readonly RecordedCall[] | null;
  readonly createId: () => string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Waited for before each stage: questions share one thread. */
  readonly turn: () => Promise<void>;
}

/** Models that write; `null`: quotes alone answer. */
export type Models = { readonly small: ChatModel; readonly large: ChatModel } | null;

/** The models that rank candidates. */
export interface RankingModels {
  readonly weights: RankingWeights;
  /** Id of the encoder that the weights were learned with, and vectors of texts by it. */
  readonly encoder: string;
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  /** The cross-encoder that they were learned with; `null`: it cannot be used, and the first stage alone orders candidates. */
  readonly read: ReadTexts | null;
}

/** A model that scores passages beside the rules. */
export interface ModelVerifier {
  readonly verifier: PassageVerifier;
  readonly timeoutMs: number;
}

/** One call of a model, as it went. */
export interface RecordedCall {
  readonly model: string;
  /** SHA-256 (hex) of the prompt. */
  readonly prompt: string;
  /** The prompt itself; absent: recorded before it was kept. */
  readonly sent?: ChatPrompt;
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** What it failed with behind the text; `null`: it ended by itself, or was not listened to any longer. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** What every answer of an installation is made with, kept once for all that share it. */
export interface RecordedSettings {
  readonly software: string;
  /** Number of what the checks did; absent: they were the first. */
  readonly checks?: number | undefined;
  /** Hash of everything that shapes answers besides question and documents. */
  readonly configHash: string;
  /** Id of the encoder that is configured; `null`: words alone. */
  readonly encoder: string | null;
  /** The domain pack without its folder, the profile and the threshold of the gate, as they were. */
  readonly pack: unknown;
  readonly profile: unknown;
  readonly threshold: unknown;
}

/** How long and how much of a question is kept. */
export interface RememberSettings {
  readonly cache: { readonly enabled: boolean; readonly hours: number; readonly entries: number };
  readonly session: { readonly turns: number; readonly idleMinutes: number; readonly most?: number };
  /** `text: false`: of a question that is reported only kinds, counts and scores are kept. */
  readonly reports: { readonly enabled: boolean; readonly days: number; readonly entries: number; readonly text: boolean };
}
