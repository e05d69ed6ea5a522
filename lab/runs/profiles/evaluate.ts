import { writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import type { GoldenAnswerable, GoldenUnanswerable } from "../../../src/grading/golden.ts";
import { type GoldenPlaces, locatePlaces } from "../../../src/grading/golden-places.ts";
import type { GoldenSet } from "../../../src/grading/golden-set.ts";
import { judgeAnswerable, judgeUnanswerable, openGoldenSet } from "../../../src/grading/run-golden.ts";
import { profileNamed, profiles } from "../../../src/profiles/index.ts";
import type { Profile } from "../../../src/profiles/profile.ts";
import { retrievePassages } from "../../../src/retrieval/retrieve.ts";
import { DEFAULT_MODEL_TEMPERATURE, DEFAULT_REPLY_TOKENS } from "../../../src/shared/config/models.ts";
import type { Config } from "../../../src/shared/config.ts";
import { RequestError } from "../../../src/shared/errors.ts";
import type { Answer, Passage } from "../../../src/shared/types.ts";
import { countTokens } from "../../../src/text/cl100k.ts";
import { toOriginal } from "../../../src/text/source-map.ts";
import { startKeptWriter } from "../../made/kept-writer.ts";
import type { KeptWriter } from "../../made/kept-writing.ts";
import { holdsQuote, startOwnWordsWriter } from "../../made/own-words-writer.ts";
import type { EvaluateEvent } from "../va.ts";
import type { Outcome, ProfileItem, WrittenSentence } from "./item.ts";
import { type PlannedSet, planFor } from "./plan.ts";
import { renderSentences, summarizeProfiles } from "./summary.ts";

export interface ProfilesOptions {
  readonly data: string;
  readonly profiles: readonly string[] | undefined;
  /** Sets of the folder that replace those of each profile's kind. */
  readonly domains: string | undefined;
  /** Maximum number of questions per profile. */
  readonly questions: number;
  readonly writer: "own-words" | "configured";
  /** File for the writer's sentences. */
  readonly read: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly kind: string;
  readonly id: string;
  readonly question: string;
  readonly tenant: string | null;
  readonly answerable: GoldenAnswerable | null;
  readonly unanswerable: GoldenUnanswerable | null;
}

/** Milliseconds; allows for a small model with a long prompt on a slow machine. */
const MODEL_TIMEOUT_MS = 300_000;
/** Models named by a profile's source, for prices. */
const MODELS: Readonly<Record<string, { readonly small: string; readonly large: string }>> = {
  spark: { small: "gpt-4o-mini", large: "gpt-4o" },
};
const DEFAULT_MODELS = { small: "gpt-4.1-mini", large: "gpt-4.1" };

/** Evaluates every profile over its kind of documents, once with quotes alone and once with a writer. */
export async function* evaluateProfiles(options: ProfilesOptions): AsyncGenerator<EvaluateEvent, void> {
  const chosen = (options.profiles ?? profiles.map(({ name }) => name)).map((name) => profileNamed(name));
  const writer =
    options.writer === "own-words" ? await startOwnWordsWriter(countTokens) : await startKeptWriter(configured(options.config));
  const items: ProfileItem[] = [];
  try {
    for (const profile of chosen) {
      let left = options.questions;
      for (const planned of planFor(profile.name, options.data, options.domains, options.config.domains_dir)) {
        for await (const item of askSet(profile, planned, left, writer, options)) {
          if (item === null)
            yield { type: "progress", done: items.length, total: items.length, what: `${profile.name}: ${planned.set.name}` };
          else {
            items.push(item);
            left--;
            yield { type: "progress", done: items.length, total: items.length, what: `${profile.name}: ${item.question}` };
          }
        }
      }
    }
  } finally {
    await writer.close();
  }
  if (options.read !== undefined) writeFileSync(options.read, renderSentences(items));
  yield { type: "report", ...summarizeProfiles(items, options.command) };
}

/** Yields `null` while documents are ingested, then one item per question. */
async function* askSet(
  profile: Profile,
  planned: PlannedSet,
  limit: number,
  writer: KeptWriter,
  { config, signal, writer: kind }: ProfilesOptions,
): AsyncGenerator<ProfileItem | null, void> {
  yield null;
  // The writer's reply is prose, so the profile must let it write.
  const writes: Profile = { ...profile, write: { ...profile.write, mode: "answer" } };
  const variants = [writes, { ...profile, name: `${profile.name}-quotes`, write: { ...profile.write, writer: "extractive" as const } }];
  const own = { ...config, model: modelOf(profile, writer, kind === "configured" ? configured(config) : undefined) };
  const openEngine = (of: Config) => createEngine(of, { profiles: variants });
  const opened = await openGoldenSet(planned.set, { config: own, domain: planned.domain, signal, openEngine });
  try {
    const { engine, domain } = opened;
    const places = await locate(planned.set, engine, domain);
    await engine.answer("warm up", { domain, profile: profile.name, signal });
    for (const asked of spread(questionsOf(planned), limit)) {
      await setImmediate();
      signal.throwIfAborted();
      yield await askOne(asked, { profile, set: planned.set.name, engine, domain, places, writer, signal });
    }
  } finally {
    await opened.close();
  }
}

type Model = NonNullable<Config["model"]> & { readonly base_url: string };

function configured({ model }: Config): Model {
  const { base_url } = model ?? {};
  if (model !== undefined && base_url !== undefined)
    return { ...model, base_url, timeout_ms: Math.max(model.timeout_ms, MODEL_TIMEOUT_MS) };
  throw new RequestError(
    "config_invalid",
    "--writer configured needs a model behind an endpoint: set `model.base_url` and `model.small`, or SOURCEBOUND_MODEL_BASE_URL and SOURCEBOUND_MODEL_SMALL.",
  );
}

/** Returns the model settings of a profile: the writer's endpoint with the model names of the configuration or of the source. */
function modelOf({ name }: Profile, { url }: KeptWriter, real: Model | undefined): Model {
  if (real !== undefined) return { ...real, base_url: url, api_key: "" };
  const endpoint = {
    base_url: url,
    api_key: "",
    timeout_ms: MODEL_TIMEOUT_MS,
    retries: 0,
    temperature: DEFAULT_MODEL_TEMPERATURE,
    reply_tokens: DEFAULT_REPLY_TOKENS,
  };
  return { ...endpoint, ...(MODELS[name] ?? DEFAULT_MODELS) };
}

async function locate(set: GoldenSet, engine: Engine, domain: string): Promise<GoldenPlaces> {
  const everyone = [undefined, ...Object.keys(set.tenants)];
  const outlines = await Promise.all(everyone.map((tenant) => engine.store.documents.outlines(engine.scope({ domain, tenant }))));
  return locatePlaces(set, [...new Set(outlines.flat().map(({ path }) => path))]);
}

function questionsOf({ set, plain }: PlannedSet): Asked[] {
  const none = { answerable: null, unanswerable: null, tenant: null };
  return [
    ...set.answerable.map((one) => ({
      ...none,
      kind: "answerable",
      id: one.id,
      question: one.question,
      tenant: one.tenant,
      answerable: one,
    })),
    ...set.unanswerable.map((one) => ({
      ...none,
      kind: one.kind,
      id: one.id,
      question: one.question,
      tenant: one.tenant,
      unanswerable: one,
    })),
    ...plain.map((question, i) => ({ ...none, kind: "plain", id: `plain-${i + 1}`, question })),
  ];
}

/** Takes items at even intervals, so that every kind is included. */
function spread<T>(all: readonly T[], limit: number): T[] {
  return all.length <= limit ? [...all] : Array.from({ length: limit }, (_, i) => all[Math.floor((i * all.length) / limit)] as T);
}

interface Asking {
  readonly profile: Profile;
  readonly set: string;
  readonly engine: Engine;
  readonly domain: string;
  readonly places: GoldenPlaces;
  readonly writer: KeptWriter;
  readonly signal: AbortSignal;
}

async function askOne(asked: Asked, { profile, set, engine, domain, places, writer, signal }: Asking): Promise<ProfileItem> {
  const { answerable, tenant, question, id, kind } = asked;
  const ask = (name: string) => engine.answer(question, { domain, tenant, profile: name, signal });
  const goldQuotes = answerable?.gold_quotes ?? [];
  const quoted = await ask(`${profile.name}-quotes`);
  writer.begin({ answer: answerable?.answer ?? "", goldQuotes });
  const written = await ask(profile.name);
  const { prompts } = writer;
  const gold = answerable === null ? null : places.gold(id);
  const holds = (passage: Passage) => {
    const at = toOriginal(passage.document.sourceMap, passage.range);
    return (gold?.get(passage.document.path) ?? []).some(({ start, end }) => at.start < end && start < at.end);
  };
  return {
    ...{ profile: profile.name, set, id, kind, question },
    quotes: outcomeOf(quoted, asked, places),
    written: outcomeOf(written, asked, places),
    passages: written.evidence.map(({ passage, verdict, score, relevance, consistency, agreement }) => ({
      ...{ gold: holds(passage), verdict, score, relevance, consistency, agreement },
    })),
    promptTokens: prompts.length === 0 ? null : Math.max(...prompts.map(countTokens)),
    inPrompt:
      prompts.length === 0 || goldQuotes.length === 0 ? null : prompts.some((prompt) => goldQuotes.some((one) => holdsQuote(prompt, one))),
    sentences: sentencesOf(written, writer),
    report: written.report ?? null,
    ranks: gold === null || !profile.retrieve.bm25 ? null : await ranksOf(asked, { profile, engine, domain, signal }, holds),
  };
}

function outcomeOf(answer: Answer, { answerable, unanswerable }: Asked, places: GoldenPlaces): Outcome {
  const shown = answer.status === "ok";
  const judged =
    answerable !== null
      ? judgeAnswerable(answer, answerable, places)
      : unanswerable !== null
        ? judgeUnanswerable(answer, unanswerable, places)
        : null;
  return {
    ...{ shown, right: judged?.right ?? false, refusal: shown ? null : (answer.refusal?.reason ?? answer.status) },
    ...{ latencyMs: answer.latencyMs, timings: answer.timings, costUsd: answer.costUsd, model: answer.model },
    warnings: answer.warnings.map(({ code }) => code),
  };
}

/** Returns the writer's sentences with their fate; for a real model also other text of the answer, such as a quote as replacement. */
function sentencesOf({ sentences, checks, claims, citations }: Answer, writer: KeptWriter): WrittenSentence[] {
  const said = ({ name, reason }: { readonly name: string; readonly reason: string }) => `${name}: ${reason}`;
  const leftOut = checks.filter(({ verdict, leftOut: out }) => verdict !== "pass" && out === true).map(said);
  const shown = sentences.map(({ text, citations: numbers }, i): WrittenSentence => {
    const found = checks.filter(({ verdict, leftOut: out, sentence }) => verdict !== "pass" && out !== true && sentence === i);
    const doubted = claims.filter(({ sentence, status }) => sentence === i && (status === "unsupported" || status === "contradicted"));
    // A replaced citation is no warning to the user.
    const isWarned = doubted.length > 0 || found.some(({ verdict }) => verdict !== "repaired");
    const quotes = citations.filter(({ n }) => numbers.includes(n)).map(({ quote }) => quote);
    return {
      text,
      fate: isWarned ? "warned" : "clean",
      why: [...new Set([...found.map(said), ...doubted.map(({ reason }) => reason)])],
      quotes,
    };
  });
  const written = [...new Set(writer.written)].map((text): WrittenSentence => {
    const own = shown.find((one) => plain(one.text) === plain(text));
    return own ?? { text, fate: "struck", why: leftOut, quotes: [] };
  });
  if (writer.knows || written.length === 0) return written;
  return [...written, ...shown.filter((one) => !written.includes(one))];
}

function plain(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

const DEEP = 50;

/** Returns the ranks of passages with a gold quote among fifty. */
async function ranksOf(
  { question: text, tenant }: Asked,
  { profile, engine, domain, signal }: Pick<Asking, "profile" | "engine" | "domain" | "signal">,
  holds: (passage: Passage) => boolean,
): Promise<number[]> {
  const scope = engine.scope({ domain, tenant });
  const rest = { profile: profile.name, detail: "normal", sessionId: null, selection: null, history: [], injectionSignals: [] } as const;
  const settings = { ...profile.retrieve, passages: DEEP, candidates: Math.max(DEEP, profile.retrieve.candidates) };
  const { passages } = await retrievePassages(
    { text, resolved: text, scope, ...rest },
    settings,
    await engine.pipelineContext(domain, profile.name),
    signal,
  );
  return passages.flatMap((passage, i) => (holds(passage) ? [i + 1] : []));
}
