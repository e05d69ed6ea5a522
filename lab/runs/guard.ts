import { setImmediate } from "node:timers/promises";
import { createEngine } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { locatePlaces } from "../../src/grading/golden-places.ts";
import { type GoldenSet, readGoldenSet } from "../../src/grading/golden-set.ts";
import { mean } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import { spark } from "../../src/profiles/spark.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Passage } from "../../src/shared/types.ts";
import { toOriginal } from "../../src/text/source-map.ts";
import { leastWithShare, type ScoredCase } from "../judges/halves.ts";
import type { EvaluateEvent } from "./va.ts";

export interface GuardOptions {
  readonly sets: readonly ChosenFolders[];
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Claims of the source for its two thresholds: the share of relevant passages, and of answerable questions, above them. */
const CLAIMED = { perPassage: 0.85, aggregate: 0.9 } as const;

/** A question with the scores of its passages. */
interface Guarded {
  readonly set: string;
  readonly id: string;
  readonly kind: string;
  readonly passages: readonly { readonly score: number; readonly gold: boolean }[];
}

/** Score of a passage, and whether it contains a gold quote. */
type Sum = Guarded["passages"][number];

function higher(best: Sum | null, one: Sum): Sum {
  return best === null || one.score > best.score ? one : best;
}

interface Thresholds {
  readonly perPassage: number;
  readonly aggregate: number;
}

/**
 * Evaluates the thresholds of `spark`'s guard with our cross-encoder and confidence in place of the source's cross-encoder: finds the
 * thresholds at which the source's claims for .28 and .35 hold. Chosen on every other set and reported on the rest, in both directions,
 * then on all.
 */
export async function* evaluateGuard({ sets, config, command, signal }: GuardOptions): AsyncGenerator<EvaluateEvent, void> {
  const asked: Guarded[] = [];
  for (const folders of sets) {
    const set = readGoldenSet(folders);
    const { engine, domain, close } = await openGoldenSet(set, { config, domain: folders.domain, signal, openEngine: createEngine });
    try {
      const outlines = await engine.store.documents.outlines(engine.scope({ domain }));
      const places = locatePlaces(set, [...new Set(outlines.map(({ path }) => path))]);
      for (const { id, question, kind } of questionsOf(set)) {
        await setImmediate();
        yield { type: "progress", done: asked.length, total: asked.length, what: `${folders.name}: ${question}` };
        const { evidence } = await engine.answer(question, { domain, profile: spark.name, signal });
        const gold = kind === "answerable" ? places.gold(id) : null;
        const holds = ({ document, range }: Passage) => {
          const at = toOriginal(document.sourceMap, range);
          return (gold?.get(document.path) ?? []).some(({ start, end }) => at.start < end && start < at.end);
        };
        asked.push({ set: folders.name, id, kind, passages: evidence.map(({ passage, score }) => ({ score, gold: holds(passage) })) });
      }
    } finally {
      await close();
    }
  }
  yield { type: "report", ...summarize(asked, command) };
}

function questionsOf({ answerable, unanswerable }: GoldenSet) {
  return [...answerable.map(({ id, question }) => ({ id, question, kind: "answerable" })), ...unanswerable];
}

function passagesOf(asked: readonly Guarded[]): ScoredCase[] {
  return asked.flatMap(({ set, passages }) => passages.map(({ score, gold }) => ({ set, score, positive: gold })));
}

/** Returns the mean score of the passages above the threshold, which the guard's second threshold applies to. */
function confidencesOf(asked: readonly Guarded[], perPassage: number): ScoredCase[] {
  return asked.map(({ set, kind, passages }) => ({
    set,
    positive: kind === "answerable",
    score: mean(passages.flatMap(({ score }) => (score >= perPassage ? score : []))),
  }));
}

function chooseOn(asked: readonly Guarded[]): Thresholds {
  const perPassage = leastWithShare(passagesOf(asked), CLAIMED.perPassage);
  return { perPassage, aggregate: leastWithShare(confidencesOf(asked, perPassage), CLAIMED.aggregate) };
}

function summarize(asked: readonly Guarded[], command: string) {
  const names = [...new Set(asked.map(({ set }) => set))].sort();
  const halves = [0, 1].map((half) => names.filter((_, i) => i % 2 === half));
  const table: TableRow[] = [];
  const metrics: Record<string, number | null> = {};
  const show = (title: string, key: string, some: readonly Guarded[], { perPassage, aggregate }: Thresholds) => {
    const passed = passagesOf(some).filter(({ score }) => score !== null && score >= perPassage);
    const sure = confidencesOf(some, perPassage).filter(({ score }) => score !== null && score >= aggregate);
    const answerable = some.filter(({ kind }) => kind === "answerable").length;
    const [relevant, answers] = [passed, sure].map((cases) => cases.filter(({ positive }) => positive).length) as [number, number];
    table.push(
      { name: title, figure: `${decimal(perPassage)}, ${decimal(aggregate)}`, note: `${some.length} questions` },
      countRow("  P(relevant)", relevant, passed.length, "source claims .85 from .28; passages that hold a marked quote"),
      countRow("  P(answerable)", answers, sure.length, "source claims .90 from .35; questions that the documents answer"),
      countRow("  passed of what is answerable", answers, answerable),
    );
    metrics[`${key}.per_passage`] = perPassage;
    metrics[`${key}.aggregate`] = aggregate;
    metrics[`${key}.relevant`] = passed.length === 0 ? null : relevant / passed.length;
    metrics[`${key}.answerable`] = sure.length === 0 ? null : answers / sure.length;
    metrics[`${key}.passed`] = answerable === 0 ? null : answers / answerable;
  };
  for (const [i, own] of halves.entries()) {
    const [chosen, rest] = [asked.filter(({ set }) => own.includes(set)), asked.filter(({ set }) => !own.includes(set))];
    const thresholds = chooseOn(chosen);
    show(`chosen on ${own.join(", ")}`, `half.${i}`, chosen, thresholds);
    show("  and on the rest", `half.${i}.rest`, rest, thresholds);
  }
  show("chosen on all", "all", asked, chooseOn(asked));
  if (spark.gate.type === "guard") {
    show("as shipped, on all", "shipped", asked, spark.gate.learned);
    show("the source's own, on all", "source", asked, spark.gate);
  }
  const answerable = asked.filter(({ kind }) => kind === "answerable");
  const first = answerable.filter(({ passages: [best] }) => best?.gold === true).length;
  const highest = answerable.filter(({ passages }) => passages.reduce<Sum | null>(higher, null)?.gold === true).length;
  table.push(
    countRow("a marked quote in the first of the passages", first, answerable.length, "as retrieval orders them"),
    countRow("  in the one of the highest sum", highest, answerable.length, "the first that the writer is given"),
  );
  metrics["first.retrieved"] = answerable.length === 0 ? null : first / answerable.length;
  metrics["first.sum"] = answerable.length === 0 ? null : highest / answerable.length;
  const n = { questions: asked.length, passages: passagesOf(asked).length };
  return { report: makeReport({ name: "guard", command, n, metrics, items: asked.map((one) => ({ ...one })) }), table };
}
