import { setImmediate } from "node:timers/promises";
import { loadDomain } from "../../src/engine/domain.ts";
import { wilson } from "../../src/grading/metrics.ts";
import { decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { type Classify, createClassifier, nameOf } from "../../src/memory/classify.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../../src/models/embedded-encoder.ts";
import type { Config } from "../../src/shared/config.ts";
import { cosineOf } from "../judges/cosine.ts";
import { createMeanings, type Relation } from "../made/day-meanings.ts";
import { createReplayedDay, type DayStep } from "../made/replayed-day.ts";
import { type DaySourceOptions, differentNames, readDaySources } from "../sets/day-sources.ts";
import type { EvaluateEvent } from "./va.ts";

export interface GraphOptions extends Omit<DaySourceOptions, "names"> {
  readonly domain?: string | undefined;
  readonly questions: number;
  readonly seed: number;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Thresholds for a cache by cosine alone. Source 000 names none; .92 is that of source 001. */
const COSINES = [0.8, 0.85, 0.92] as const;
/** Candidates for a hit: any earlier question, those with a common topic and entity, or those with a common topic. */
const WAYS = ["cosine", "topic and entity", "topic"] as const;
type Way = (typeof WAYS)[number];

interface Asked {
  readonly text: string;
  readonly class: Extract<DayStep, { type: "ask" }>["class"];
  readonly vector: Float32Array;
  readonly topics: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
}

interface Served {
  readonly way: Way;
  readonly asked: Asked;
  readonly cosine: number;
  readonly relation: Relation;
}

/**
 * Replays a generated day through caches that compare only questions: one serves the nearest earlier question by cosine, the others the
 * nearest with a common topic (and entity), as the query of the seven-layer source does (its listing 7). A hit is wrong unless the labels
 * of the day say that both questions ask the same. Reports all questions, those with a topic and an entity, and those without hard
 * negatives.
 */
export async function* evaluateGraph(options: GraphOptions): AsyncGenerator<EvaluateEvent, void> {
  const { config, questions, seed, signal } = options;
  const pack = loadDomain(options.domain ?? config.domain, config.domains_dir);
  const sources = readDaySources({ ...options, names: differentNames(pack.abbreviations) });
  const steps = createReplayedDay(sources, { questions, seed });
  const relationOf = createMeanings(steps);
  const read = createAsking(sharedEncoder(), createClassifier(pack));
  const before: Asked[] = [];
  const served: Served[] = [];
  for (const step of steps) {
    if (step.type === "edit") continue;
    await setImmediate();
    signal.throwIfAborted();
    const asked = read(step);
    for (const way of WAYS) {
      const near = nearest(asked, before, way);
      // Any cache serves an identical question correctly, so it does not count.
      if (near !== null && near.one.text !== asked.text)
        served.push({ way, asked, cosine: near.cosine, relation: relationOf(asked.text, near.one.text) });
    }
    before.push(asked);
    yield { type: "progress", done: before.length, total: questions, what: step.question };
  }
  yield { type: "report", ...summarize(before, served, options) };
}

function createAsking(encoder: EmbeddedEncoder, classify: Classify): (step: Extract<DayStep, { type: "ask" }>) => Asked {
  return ({ question, class: kind }) => {
    const { topics, entities } = classify(question);
    const [vector] = encoder.embedSync([question]);
    const names = { topics: new Set(topics.map(({ slug }) => slug)), entities: new Set(entities.map(nameOf)) };
    return { text: question, class: kind, vector: vector as Float32Array, ...names };
  };
}

function nearest(asked: Asked, before: readonly Asked[], way: Way): { readonly one: Asked; readonly cosine: number } | null {
  let best: { readonly one: Asked; readonly cosine: number } | null = null;
  for (const one of before) {
    if (way !== "cosine" && !sharesOne(one.topics, asked.topics)) continue;
    if (way === "topic and entity" && !sharesOne(one.entities, asked.entities)) continue;
    const cosine = cosineOf(one.vector, asked.vector);
    if (best === null || cosine > best.cosine) best = { one, cosine };
  }
  return best;
}

function summarize(asked: readonly Asked[], served: readonly Served[], { command, seed }: GraphOptions) {
  const table: TableRow[] = [];
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = { questions: asked.length };
  const isNamed = (one: Asked) => one.topics.size > 0 && one.entities.size > 0;
  n.named = asked.filter(isNamed).length;
  table.push({ name: "questions with a topic and an entity of the pack", figure: `${n.named} of ${asked.length}` });
  const mixes: readonly (readonly [string, (one: Asked) => boolean])[] = [
    ["all", () => true],
    ["named", isNamed],
    ["without look-alikes", (one) => one.class !== "look-alike"],
  ];
  for (const [mix, belongs] of mixes) {
    const some = asked.filter(belongs);
    n[mix] = some.length;
    for (const least of COSINES) {
      const shares = WAYS.map((way) => {
        const of = served.filter((one) => one.way === way && one.cosine >= least && belongs(one.asked));
        const wrong = of.filter(({ relation }) => relation !== "same").length;
        const key = `${mix}.${least}.${way}`;
        metrics[`${key}.hits`] = of.length;
        metrics[`${key}.wrong`] = wrong;
        const bounds = wilson(wrong, of.length);
        const share =
          bounds === null ? "" : ` (${decimal(wrong / of.length)} [${decimal(bounds.low)}, ${decimal(bounds.high)}] of its hits)`;
        table.push({
          name: `${mix}, from ${least}, ${way}`,
          figure: `${wrong} wrong of ${of.length}${share}`,
          note: `of ${some.length} asked`,
        });
        return { hits: of.length, wrong };
      });
      for (const [i, way] of WAYS.entries()) {
        if (i === 0) continue;
        const [alone, linked] = [shares[0], shares[i]];
        if (alone === undefined || linked === undefined || alone.wrong === 0) continue;
        const ofHits = linked.hits === 0 ? null : linked.wrong / linked.hits / (alone.wrong / alone.hits) - 1;
        metrics[`${mix}.${least}.${way}.change_of_hits`] = ofHits;
        metrics[`${mix}.${least}.${way}.change_of_asked`] = linked.wrong / alone.wrong - 1;
        metrics[`${mix}.${least}.${way}.right_lost`] = 1 - (linked.hits - linked.wrong) / Math.max(1, alone.hits - alone.wrong);
      }
    }
  }
  return {
    report: makeReport({
      name: "graph",
      command,
      seed,
      n,
      metrics,
      items: served.map(({ asked: { text, class: kind }, ...one }) => ({ question: text, class: kind, ...one })),
    }),
    table,
  };
}

function sharesOne(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((name) => other.has(name));
}
