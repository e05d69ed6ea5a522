import { setImmediate } from "node:timers/promises";
import { createEngine } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGoldenSet } from "../../src/grading/golden-set.ts";
import { countRow, makeReport } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import { book } from "../../src/profiles/book.ts";
import type { Config } from "../../src/shared/config.ts";
import { accuracyAt, chooseOnHalves } from "../judges/halves.ts";
import type { EvaluateEvent } from "./va.ts";

export interface TopicsOptions {
  readonly sets: readonly ChosenFolders[];
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Best {
  readonly set: string;
  readonly id: string;
  readonly positive: boolean;
  readonly score: number | null;
}

/** Kinds of questions on subjects absent from the documents; near misses and false premises are on their subject. */
const ELSEWHERE: ReadonlySet<string> = new Set(["out_of_scope", "nonsense"]);

/** Compares the best passage score under `book` for answerable questions and for questions on other subjects. */
export async function* evaluateTopics({ sets, config, command, signal }: TopicsOptions): AsyncGenerator<EvaluateEvent, void> {
  const found: Best[] = [];
  for (const folders of sets) {
    const set = readGoldenSet(folders);
    const asked = [
      ...set.answerable.map(({ id, question }) => ({ id, question, positive: true })),
      ...set.unanswerable.filter(({ kind }) => ELSEWHERE.has(kind)).map(({ id, question }) => ({ id, question, positive: false })),
    ];
    const { engine, domain, close } = await openGoldenSet(set, { config, domain: folders.domain, signal, openEngine: createEngine });
    try {
      for (const { id, question, positive } of asked) {
        await setImmediate();
        yield { type: "progress", done: found.length, total: found.length, what: `${folders.name}: ${question}` };
        const { evidence } = await engine.answer(question, { domain, profile: book.name, signal });
        const score = evidence.length === 0 ? null : Math.max(...evidence.map((one) => one.score));
        found.push({ set: folders.name, id, positive, score });
      }
    } finally {
      await close();
    }
  }
  const { table, metrics } = chooseOnHalves(found);
  const shipped = book.gate.type === "best-similarity" ? book.gate.probability : 0;
  for (const positive of [true, false]) {
    const some = found.filter((one) => one.positive === positive);
    const hits = some.filter(({ score }) => score !== null && score >= shipped === positive).length;
    table.push(countRow(`${positive ? "answerable, passed" : "of another world, refused"} at ${shipped}`, hits, some.length));
  }
  const n = { answerable: found.filter(({ positive }) => positive).length, elsewhere: found.filter(({ positive }) => !positive).length };
  const all = { ...metrics, balanced_accuracy: accuracyAt(found, shipped) };
  yield {
    type: "report",
    report: makeReport({ name: "topics", command, n, metrics: all, items: found.map((one) => ({ ...one })) }),
    table,
  };
}
