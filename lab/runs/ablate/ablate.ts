import { loadDomain } from "../../../src/engine/domain.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import { type GoldenPlaces, locatePlaces, standsAt } from "../../../src/grading/golden-places.ts";
import type { GoldenSet } from "../../../src/grading/golden-set.ts";
import { type Ingested, openGoldenSet } from "../../../src/grading/run-golden.ts";
import type { AnswerRecord } from "../../../src/pipeline/assemble.ts";
import { DEFAULT_MODEL_TEMPERATURE, DEFAULT_REPLY_TOKENS } from "../../../src/shared/config/models.ts";
import type { Config } from "../../../src/shared/config.ts";
import { RequestError } from "../../../src/shared/errors.ts";
import type { Answer } from "../../../src/shared/types.ts";
import { countTokens } from "../../../src/text/cl100k.ts";
import { routingOf } from "../routing.ts";
import type { AblatedItem, AblatedQuestion, AblateOptions, WrittenSentence } from "./ablated-item.ts";
import { judgedScore } from "./judged-score.ts";
import { invalidCitations, type LadderScore, scoreAnswer } from "./ladder-score.ts";
import type { Rung } from "./rungs.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

/** Short, because the scripted model runs in this process and answers immediately. */
const MODEL_TIMEOUT_MS = 30_000;
/** Model names of the scripted model: their list prices are known, and the source used them. */
const SCRIPTED = { small: "gpt-4.1-mini", large: "gpt-4.1" } as const;

export type AblateEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | {
      readonly type: "ablated";
      readonly items: readonly AblatedItem[];
      readonly questions: readonly AblatedQuestion[];
      readonly ingested: Ingested;
    };

/**
 * Asks the same questions of the same engine and documents under each profile; the scripted model makes the same faults each time. Ground
 * truth for the scripted model is its own record of its faults. For other writers our checks decide.
 */
export async function* ablate(options: AblateOptions): AsyncGenerator<AblateEvent, void> {
  const { chosen, rungs, rounds, writer, signal, config } = options;
  const questions = questionsOf(chosen.set);
  const total = questions.length * rounds * rungs.length;
  yield { type: "progress", done: 0, total, what: "reading documents" };
  const model = writer === "scripted" ? await startScriptedModel({ ...options, host: hostOf(options), countTokens }) : null;
  try {
    const openEngine = (own: Config) =>
      createEngine(own, {
        ...options.parts,
        profiles: rungs.map(({ profile }) => profile),
        ...(writer === "quotes" ? { models: null } : {}),
      });
    const opened = await openGoldenSet(chosen.set, {
      config: withModel(config, model),
      domain: chosen.domain,
      cache: true,
      signal,
      openEngine,
    });
    try {
      const { engine, domain, ingested } = opened;
      const everyone = [undefined, ...Object.keys(chosen.set.tenants)];
      const outlines = await Promise.all(everyone.map((tenant) => engine.store.documents.outlines(engine.scope({ domain, tenant }))));
      const places = locatePlaces(chosen.set, [...new Set(outlines.flat().map(({ path }) => path))]);
      const items: AblatedItem[] = [];
      for (const rung of rungs) {
        for (let round = 0; round < rounds; round++) {
          for (const question of questions) {
            signal.throwIfAborted();
            items.push(await askOnce({ engine, domain, model, places, options }, rung, question, round));
            yield { type: "progress", done: items.length, total, what: `${rung.name}: ${question.text}` };
          }
        }
      }
      yield { type: "ablated", items, questions, ingested };
    } finally {
      await opened.close();
    }
  } finally {
    await model?.close();
  }
}

function questionsOf({ answerable, unanswerable }: GoldenSet): AblatedQuestion[] {
  return [
    ...answerable.map(({ id, question, gold_pages, tenant }) => ({
      ...{ id, text: question, tenant, kind: "answerable" as const },
      goldPages: gold_pages.length === 0 ? null : gold_pages,
    })),
    ...unanswerable.map(({ id, question, kind, tenant }) => ({ id, text: question, tenant, goldPages: null, kind })),
  ];
}

function withModel(config: Config, model: ScriptedModel | null): Config {
  if (model === null) return config;
  const endpoint = { base_url: model.url, api_key: "", ...SCRIPTED, timeout_ms: MODEL_TIMEOUT_MS, retries: 0 };
  return { ...config, model: { ...endpoint, temperature: DEFAULT_MODEL_TEMPERATURE, reply_tokens: DEFAULT_REPLY_TOKENS } };
}

/** Returns the domain's first host, on which invented URLs are placed. */
function hostOf({ config, chosen: { domain } }: AblateOptions): string {
  return (domain === undefined ? undefined : loadDomain(domain, config.domains_dir).hosts[0]) ?? "example.com";
}

interface Asking {
  readonly engine: Engine;
  readonly domain: string;
  readonly model: ScriptedModel | null;
  readonly places: GoldenPlaces;
  readonly options: AblateOptions;
}

async function askOnce(
  { engine, domain, model, places, options }: Asking,
  rung: Rung,
  question: AblatedQuestion,
  round: number,
): Promise<AblatedItem> {
  const { signal, judge } = options;
  const { goldPages, tenant, id, kind } = question;
  const ask = () => engine.answer(question.text, { domain, tenant, profile: rung.profile.name, signal });
  model?.begin(`${id} ${round}`);
  const answer = await ask();
  const drafts = model?.drafts ?? null;
  const scoreOf = async (one: Answer): Promise<LadderScore> => (drafts === null ? judgedScore(one, judge) : scoreAnswer(one, drafts));
  const invalid = (one: Answer) => (drafts === null ? danglingCitations(one) : invalidCitations(one, drafts));
  const stored = await storedAnswer(engine, answer);
  const again = (await engine.store.cache.count()) > 0 ? await ask() : null;
  await engine.store.cache.clear(null);
  return {
    rung: rung.name,
    question,
    round,
    answered: answer.status === "ok",
    weakFlagged: answer.warnings.some(({ code }) => code === "weak_retrieval" || code === "low_confidence"),
    pageFound: goldPages && answer.evidence.some(({ passage }) => goldPages.includes(passage.document.path)),
    wrongPassage:
      kind === "answerable"
        ? isElsewhere(answer, places.gold(id))
        : answer.status === "ok" && !isContradicted(answer, places.contradicting(id)),
    score: await scoreOf(answer),
    written: await writtenIn(engine, answer),
    reportedScore: answer.checks.find(({ name }) => name === "verification-score")?.score ?? null,
    storedInvalid: invalid(stored),
    servedInvalid: again === null || again.cacheMode === "miss" ? null : invalid(again),
    costUsd: answer.costUsd,
    ...routingOf(answer, engine.config.model),
    latencyMs: answer.latencyMs,
  };
}

/** Returns the sentences of all drafts, and of the quotes that took their place. */
async function writtenIn(engine: Engine, { id, status, sentences, citations, checks }: Answer): Promise<WrittenSentence[]> {
  const record = (await engine.store.records.get(id))?.body as AnswerRecord | undefined;
  const isQuote = (text: string) => citations.some(({ quote }) => quote.includes(text));
  const shown = status === "ok" ? sentences : [];
  const hasWarning = (at: number) => checks.some(({ verdict, sentence }) => verdict === "warn" && sentence === at);
  const written = shown.map(({ text }, at) => ({ text, fate: hasWarning(at) ? "warned" : "shown", quoted: isQuote(text) }) as const);
  const kept = new Set(shown.map(({ text }) => text));
  const left = (record?.drafts ?? []).filter(({ text }) => !kept.has(text));
  return [...written, ...left.map(({ text }) => ({ text, fate: "removed" as const, quoted: isQuote(text) }))];
}

function isElsewhere(answer: Answer, gold: ReturnType<GoldenPlaces["gold"]>): boolean | null {
  return gold.size === 0 ? null : answer.status === "ok" && !answer.citations.some((citation) => standsAt(citation, gold));
}

/** Tests whether the answer quotes a passage that contradicts the question's false premise, which counts as correct. */
function isContradicted(answer: Answer, places: ReturnType<GoldenPlaces["contradicting"]>): boolean {
  return answer.citations.some((citation) => standsAt(citation, places));
}

/** Counts citation numbers without a source. */
function danglingCitations({ sentences, citations }: Answer): number {
  const known = new Set(citations.map(({ n }) => n));
  return sentences.flatMap((sentence) => sentence.citations).filter((n) => !known.has(n)).length;
}

/** Returns the answer as stored in the interaction. */
async function storedAnswer(engine: Engine, { id, domain }: Answer): Promise<Answer> {
  const kept = (await engine.store.interactions.list(domain, 5)).find((one) => one.id === id);
  if (kept === undefined)
    throw new RequestError("not_remembered", `The answer ${id} was not remembered: nothing can be said of what is stored.`);
  return JSON.parse(kept.answer) as Answer;
}
