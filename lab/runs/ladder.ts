import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, embeddedIn } from "../../src/config.ts";
import { loadDomain } from "../../src/engine/domain.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { RequestError } from "../../src/errors.ts";
import { answerableSchema, readGolden, unanswerableSchema } from "../../src/grade/golden.ts";
import { DEFAULT_MODEL_TEMPERATURE } from "../../src/models-config.ts";
import type { Answer } from "../../src/types.ts";
import { invalidCitations, scoreAnswer } from "../judges/ladder-score.ts";
import { type ScriptedModel, startScriptedModel } from "../made/scripted-model.ts";
import type { LadderItem, LadderOptions, LadderQuestion } from "./ladder-item.ts";
import { LADDER, RUNGS, type Rung } from "./ladder-rungs.ts";
import { summarizeLadder } from "./ladder-summary.ts";
import { type EvaluateEvent, ingestCorpus } from "./va.ts";

/** The model is in this process: it answers at once, or something is broken. */
const MODEL_TIMEOUT_MS = 30_000;

/**
 * What readers are shown of what a model makes up, on every rung of the ladder: the same engine, documents, questions and faults, only the profile differs.
 * The model is a server of this process; what it makes up is known because it says so, never because a check found it.
 */
export async function* evaluateLadder(options: LadderOptions): AsyncGenerator<EvaluateEvent, void> {
  const questions = readQuestions(options.golden);
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-ladder-"));
  const total = questions.length * options.rounds * RUNGS.length;
  let model: ScriptedModel | null = null;
  let engine: Engine | null = null;
  try {
    yield { type: "progress", done: 0, total, what: "ingesting" };
    model = await startScriptedModel({ ...options, host: hostOf(options) });
    engine = await openEngine(options.config, dataDir, model.url);
    const ingested = await ingestCorpus(engine, options);
    const items: LadderItem[] = [];
    for (const rung of RUNGS) {
      for (let round = 0; round < options.rounds; round++) {
        for (const question of questions) {
          options.signal.throwIfAborted();
          items.push(await askOnce(engine, model, rung, question, round, options));
          yield { type: "progress", done: items.length, total, what: `${rung}: ${question.text}` };
        }
      }
    }
    yield { type: "report", ...summarizeLadder(items, questions, ingested, options) };
  } finally {
    await engine?.close();
    await model?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function readQuestions(golden: string): LadderQuestion[] {
  const answerable = readGolden(golden, "va-answerable", answerableSchema);
  const unanswerable = readGolden(golden, "va-unanswerable", unanswerableSchema);
  return [
    ...answerable.map(({ id, question, gold_pages }) => ({ id, text: question, goldPages: gold_pages, kind: "answerable" as const })),
    ...unanswerable.map(({ id, question, kind }) => ({ id, text: question, goldPages: null, kind })),
  ];
}

/** The rungs as profiles, the scripted model as the endpoint; nothing of the caller's own data folder is touched. */
function openEngine(config: Config, dataDir: string, url: string): Promise<Engine> {
  const endpoint = { base_url: url, api_key: "", small: "scripted-small", large: "scripted-large" };
  const model = { ...endpoint, timeout_ms: MODEL_TIMEOUT_MS, retries: 0, temperature: DEFAULT_MODEL_TEMPERATURE };
  const cache = { ...config.cache, enabled: true };
  return createEngine({ ...embeddedIn(config, dataDir), cache, model }, { profiles: RUNGS.map((rung) => LADDER[rung].profile) });
}

/** First host of the domain's list, where a model would invent an address. */
function hostOf({ config, domain }: LadderOptions): string {
  return loadDomain(domain ?? config.domain, config.domains_dir).hosts[0] ?? "example.com";
}

async function askOnce(
  engine: Engine,
  model: ScriptedModel,
  rung: Rung,
  question: LadderQuestion,
  round: number,
  { domain, signal }: LadderOptions,
): Promise<LadderItem> {
  const ask = () => engine.answer(question.text, { domain, profile: LADDER[rung].profile.name, signal });
  model.begin(`${question.id} ${round}`);
  const answer = await ask();
  const { drafts } = model;
  const stored = await storedAnswer(engine, answer);
  const again = (await engine.store.cache.count()) > 0 ? await ask() : null;
  await engine.store.cache.clear(null);
  const { goldPages } = question;
  return {
    rung,
    question,
    round,
    answered: answer.status === "ok",
    weakFlagged: answer.warnings.some(({ code }) => code === "weak_retrieval" || code === "low_confidence"),
    pageFound: goldPages && answer.evidence.some(({ passage }) => goldPages.includes(passage.document.path)),
    score: scoreAnswer(answer, drafts),
    reportedScore: answer.checks.find(({ name }) => name === "verification-score")?.score ?? null,
    storedInvalid: invalidCitations(stored, drafts),
    servedInvalid: again === null || again.cacheMode === "miss" ? null : invalidCitations(again, drafts),
  };
}

/** The answer as the interaction keeps it. */
async function storedAnswer(engine: Engine, { id, domain }: Answer): Promise<Answer> {
  const kept = (await engine.store.interactions.list(domain, 5)).find((one) => one.id === id);
  if (kept === undefined)
    throw new RequestError("not_remembered", `The answer ${id} was not remembered: nothing can be said of what is stored.`);
  return JSON.parse(kept.answer) as Answer;
}
