import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { loadDomain } from "../../src/engine/domain.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createRandom, type Random } from "../../src/grading/metrics.ts";
import { namedDocuments } from "../../src/memory/named-documents.ts";
import { DEFAULT_MODEL_TEMPERATURE, DEFAULT_REPLY_TOKENS } from "../../src/shared/config/models.ts";
import { type Config, embeddedIn } from "../../src/shared/config.ts";
import type { Answer, Citation } from "../../src/shared/types.ts";
import { countTokens } from "../../src/text/cl100k.ts";
import { normalizeQuestion } from "../../src/text/normalise.ts";
import { compareSources, type FilesToday, readFilesToday, saysTheSame, staleBecause } from "../judges/judge-hit.ts";
import { addBeside, BESIDE_EVERY, changeFact, type EditKind } from "../made/day-edits.ts";
import { createMeanings } from "../made/day-meanings.ts";
import { createReplayedDay, type DayStep } from "../made/replayed-day.ts";
import { differentNames, readDaySources } from "../sets/day-sources.ts";
import { type ScriptedModel, startScriptedModel } from "./ablate/scripted-model.ts";
import { askFresh } from "./ask-fresh.ts";
import type { DayEdit, DayItem, DayOptions, JudgedHit, Outcome } from "./day-item.ts";
import { isFault, summarizeDay } from "./day-summary.ts";
import { routingOf } from "./routing.ts";
import { type EvaluateEvent, ingestCorpus } from "./va.ts";

/** The day has a simulated clock, so that the same schedule gives the same day. */
const DAY_MS = 86_400_000;

const DAY_BEGINS = Date.UTC(2026, 0, 5);

/** Short, because the scripted model runs in this process and answers immediately. */
const MODEL_TIMEOUT_MS = 30_000;

/** Model names of the scripted model; their list prices are known. */
const SCRIPTED = { small: "gpt-4o-mini", large: "gpt-4o" } as const;

/** `eval cache --day`: replays a day of questions and edits through the real engine, and compares every hit with a fresh answer. */
export async function* evaluateDay(options: DayOptions): AsyncGenerator<EvaluateEvent, void> {
  const { seed, questions, signal, config } = options;
  const { abbreviations } = loadDomain(options.domain ?? config.domain, config.domains_dir);
  const sources = readDaySources({ ...options, names: differentNames(abbreviations) });
  const steps = createReplayedDay(sources, { questions, seed });
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-replay-"));
  const total = questions;
  let [model, engine]: [ScriptedModel | null, Engine | null] = [null, null];
  const clock = { at: 0 };
  try {
    yield { type: "progress", done: 0, total, what: "ingesting" };
    const root = join(folder, "corpus");
    mkdirSync(root);
    cpSync(join(resolve(options.corpus), "pages"), join(root, "pages"), { recursive: true });
    if (options.scriptedModel) model = await startScriptedModel({ rates: NO_FAULTS, seed, host: "example.com", countTokens });
    const open = options.open ?? createEngine;
    engine = await open(configFor(config, join(folder, "data"), model), {
      now: () => new Date(DAY_BEGINS + (clock.at * DAY_MS) / total),
    });
    const where = { ...options, corpus: root };
    await ingestCorpus(engine, where);
    const day = new RunningDay(engine, model, steps, root, where);
    for (const step of steps) {
      // Without a model nothing waits for I/O, so Ctrl-C is noticed only here.
      await setImmediate();
      signal.throwIfAborted();
      clock.at = step.at;
      if (step.type === "edit") await day.edit(step);
      else await day.ask(step);
      yield { type: "progress", done: day.items.length, total, what: `${day.hits} served, ${day.faults} wrong or stale` };
    }
    yield { type: "report", ...summarizeDay(day.items, day.edits, options) };
  } finally {
    await engine?.close();
    await model?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const NO_FAULTS = { hallucination: 0, number: 0, url: 0, citation: 0 };

/** Leaves the caller's data folder untouched. */
function configFor(config: Config, dataDir: string, model: ScriptedModel | null): Config {
  const own = { ...embeddedIn(config, dataDir), cache: { ...config.cache, enabled: true, rewordings: "always" as const } };
  if (model === null) return own;
  const endpoint = { base_url: model.url, api_key: "", ...SCRIPTED, timeout_ms: MODEL_TIMEOUT_MS, retries: 0 };
  return { ...own, write: "answer", model: { ...endpoint, temperature: DEFAULT_MODEL_TEMPERATURE, reply_tokens: DEFAULT_REPLY_TOKENS } };
}

/** Last outcome of a question, and the documents named in its answer. */
interface Known {
  readonly outcome: Outcome;
  readonly documents: ReadonlySet<string>;
  edited: boolean;
  readonly citations: readonly Citation[];
}

/** State of a running day: asks, edits and judges. */
class RunningDay {
  readonly items: DayItem[] = [];
  readonly edits: DayEdit[] = [];
  hits = 0;
  faults = 0;
  private readonly engine: Engine;
  private readonly model: ScriptedModel | null;
  private readonly relationOf: ReturnType<typeof createMeanings>;
  private readonly files: FilesToday;
  private readonly root: string;
  private readonly where: DayOptions;
  private readonly random: Random;
  /** Separate generator, so that the edits do not depend on the share of approvals. */
  private readonly approves: Random;
  private readonly known = new Map<string, Known>();

  constructor(engine: Engine, model: ScriptedModel | null, steps: readonly DayStep[], root: string, where: DayOptions) {
    this.engine = engine;
    this.model = model;
    this.relationOf = createMeanings(steps);
    this.files = readFilesToday(root);
    this.root = root;
    this.where = where;
    this.random = createRandom(where.seed);
    this.approves = createRandom(where.seed + 1);
  }

  async ask({ at, question, class: kind, of, source }: Extract<DayStep, { type: "ask" }>): Promise<void> {
    const known = of === null ? undefined : this.known.get(normalizeQuestion(of));
    this.model?.begin(question);
    const { answer, cached, route } = await this.answerOf(question);
    const outcome = answer.cacheMode !== "miss" ? "served" : cached ? "stored" : answer.status === "ok" ? "not_clean" : "refused";
    const hit = outcome === "served" ? await this.judge(question, answer) : null;
    const approved = outcome === "stored" && this.approves() < this.where.approved;
    if (approved) await this.engine.memory.review.approve(answer.id, "a person of the day");
    this.items.push({
      ...{ at, class: kind, source, question, outcome, mode: answer.cacheMode, before: known?.outcome ?? null },
      ...{ edited: known?.edited ?? false, ms: answer.latencyMs, approved, hit },
      spent: { tokens: answer.tokenUsage.total, usd: answer.costUsd, ...routingOf(answer, this.engine.config.model) },
      route,
    });
    const { citations } = answer;
    const documents = new Set(namedDocuments(answer).map(({ id }) => id));
    this.known.set(normalizeQuestion(question), { outcome, documents, edited: false, citations });
    if (hit === null) return;
    this.hits++;
    if (isFault(hit)) this.faults++;
  }

  private async answerOf(question: string): Promise<{ answer: Answer; cached: boolean; route: string | null }> {
    const { domain, profile, signal } = this.where;
    let cached = false;
    let route: string | null = null;
    for await (const event of this.engine.ask(question, { domain, profile, signal })) {
      if (event.type === "remember-end") cached = event.facts.cached === true;
      if (event.type === "compress-end") route = event.facts.route === undefined ? null : String(event.facts.route);
      if (event.type === "answer") return { answer: event.answer, cached, route };
    }
    throw new Error("a question ended without an answer");
  }

  /** Judges a hit by the current files, by the engine's answer without caches, and by the labels of the day. */
  private async judge(question: string, served: Answer): Promise<JudgedHit> {
    const stored = served.cached?.question ?? null;
    const fresh = await this.fresh(question);
    const same = stored === null || normalizeQuestion(stored) === normalizeQuestion(question);
    const freshStored = same ? fresh : await this.fresh(stored);
    const current = saysTheSame(served, freshStored);
    const texts = ({ sentences }: Answer) => sentences.map(({ text }) => text);
    return {
      stored,
      relation: stored === null ? "unlabelled" : this.relationOf(question, stored),
      stale: staleBecause(served, this.files),
      current,
      differs: current ? null : { served: texts(served), today: texts(freshStored) },
      sources: compareSources(served, fresh),
      tokens: fresh.tokenUsage.total,
      usd: fresh.costUsd,
      freshMs: fresh.latencyMs,
    };
  }

  private fresh(question: string): Promise<Answer> {
    this.model?.begin(question);
    return askFresh(this.engine, question, this.where);
  }

  /** Changes a fact that a current answer quotes, or adds text elsewhere in its document; without quotes, edits the scheduled document. */
  async edit({ at, document }: Extract<DayStep, { type: "edit" }>): Promise<void> {
    const quoted = [...this.known.values()].flatMap(({ outcome, citations }) =>
      outcome === "stored" || outcome === "served" ? citations.filter((citation) => this.files.fault(citation) === null) : [],
    );
    const chosen = quoted[Math.floor(this.random() * quoted.length)];
    const kind: EditKind = chosen === undefined || this.edits.length % BESIDE_EVERY === BESIDE_EVERY - 1 ? "beside" : "fact";
    const path = chosen?.original.path ?? document;
    const source = readFileSync(join(this.root, path), "utf8");
    const changed = kind === "fact" && chosen !== undefined ? changeFact(source, chosen.original, this.random) : addBeside(source, at);
    writeFileSync(join(this.root, path), changed);
    await ingestCorpus(this.engine, this.where);
    this.edits.push({ at, document: path, kind });
    const id = chosen?.documentId ?? (await this.idOf(path));
    for (const known of this.known.values()) if (id !== null && known.documents.has(id)) known.edited = true;
  }

  private async idOf(path: string): Promise<string | null> {
    const { config, domain } = this.engine;
    const scope = { domain: domain(this.where.domain).name, tenant: null, access: config.access };
    return (await this.engine.store.documents.outlines(scope)).find((one) => one.path === path)?.id ?? null;
  }
}
