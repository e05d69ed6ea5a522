import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { createEngine } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, makeReport } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer, StoredDocument, TextRange } from "../../src/shared/types.ts";
import { latencyOf } from "./selected.ts";
import type { EvaluateEvent } from "./va.ts";

/** Shortest selection in characters; the longest is the document. Lengths are log-uniform. */
const SHORTEST = 80;
const rowSchema = z.object({ id: z.string(), question: z.string() });

export interface RandomSelectionsOptions {
  readonly sets: readonly (ChosenFolders & { readonly files: readonly string[] })[];
  /** Number of selections per set. */
  readonly count: number;
  readonly seed: number;
  readonly profile?: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Tried {
  readonly id: string;
  readonly set: string;
  readonly question: string;
  readonly path: string;
  readonly selection: TextRange;
  readonly shown: boolean;
  readonly latencyMs: number;
  /** Number of document texts that the answer or refusal shows. */
  readonly texts: number;
  /** Those of them that are not in the selection. */
  readonly outside: readonly string[];
}

/** Asks random questions about random parts of documents and checks that nothing shown comes from outside the selection. */
export async function* evaluateRandomSelections(options: RandomSelectionsOptions): AsyncGenerator<EvaluateEvent, void> {
  const { sets, count, seed, profile, config, command, signal } = options;
  const random = createRandom(seed);
  const tried: Tried[] = [];
  for (const set of sets) {
    const questions = set.files.flatMap((file) => readGolden(set.golden, file, rowSchema));
    yield { type: "progress", done: tried.length, total: count * sets.length, what: `${set.name}: reading documents` };
    const documents = join(set.corpus, "pages");
    const { engine, domain, close } = await openGoldenSet(
      { ...set, documents },
      { config, domain: set.domain, signal, openEngine: createEngine },
    );
    try {
      const scope = engine.scope({ domain });
      const ids = [...(await engine.store.documents.heads(scope.domain)).keys()].sort();
      for (let n = 0; n < count; n++) {
        await setImmediate();
        const id = ids[Math.floor(random() * ids.length)] as string;
        const document = (await engine.store.documents.load(scope, [id])).get(id);
        const asked = questions[Math.floor(random() * questions.length)];
        if (document === undefined || asked === undefined) continue;
        const selection = randomRange(document.text.length, random);
        const answer = await engine.answer(asked.question, { domain, selection: { documentId: id, ...selection }, profile, signal });
        const shown = { set: set.name, question: asked.question, path: document.path, selection };
        tried.push({ id: `${set.name} ${n} ${asked.id}`, ...shown, ...judge(answer, document, selection) });
        yield { type: "progress", done: tried.length, total: count * sets.length, what: `${set.name}: ${asked.question}` };
      }
    } finally {
      await close();
    }
  }
  yield { type: "report", ...summarize(tried, command) };
}

function randomRange(length: number, random: () => number): TextRange {
  const shortest = Math.min(SHORTEST, length);
  const size = Math.round(shortest * (length / shortest) ** random());
  const start = Math.floor(random() * (length - size + 1));
  return { start, end: start + size };
}

/** Compares every document text of an answer with the selection. */
function judge(answer: Answer, document: StoredDocument, selection: TextRange): Pick<Tried, "shown" | "latencyMs" | "texts" | "outside"> {
  const selected = document.text.slice(selection.start, selection.end);
  const outside: string[] = [];
  for (const { documentId, start, end, quote, context } of answer.citations) {
    const isInside = documentId === document.id && start >= selection.start && end <= selection.end;
    if (!isInside || !selected.includes(quote)) outside.push(`quote: ${quote}`);
    if (!selected.includes(context)) outside.push(`context: ${context}`);
  }
  for (const { passage } of answer.evidence)
    if (passage.document.id !== document.id || !selected.includes(passage.text)) outside.push(`passage: ${passage.text}`);
  const nearest = answer.refusal?.nearest ?? [];
  for (const { quote } of nearest) if (quote !== null && !selected.includes(quote)) outside.push(`nearest: ${quote}`);
  const texts = 2 * answer.citations.length + answer.evidence.length + nearest.length;
  return { shown: answer.status === "ok", latencyMs: answer.latencyMs, texts, outside };
}

function summarize(tried: readonly Tried[], command: string) {
  const clean = tried.filter(({ outside }) => outside.length === 0).length;
  const shown = tried.filter((one) => one.shown).length;
  const texts = tried.reduce((sum, one) => sum + one.texts, 0);
  const wrong = tried.reduce((sum, { outside }) => sum + outside.length, 0);
  const latency = latencyOf(tried);
  const metrics = { "inside.selections": clean / tried.length, "outside.texts": wrong, answered: shown / tried.length };
  return {
    report: makeReport({
      name: "random selections",
      command,
      n: { selections: tried.length, texts, shown },
      metrics,
      timings: latency.timings,
      items: tried.map(({ latencyMs: _, ...one }) => one),
    }),
    table: [
      countRow("nothing from outside", clean, tried.length, `${texts} quotes, contexts, passages and nearest quotes looked at`),
      countRow("answered", shown, tried.length),
      ...latency.table,
    ],
  };
}
