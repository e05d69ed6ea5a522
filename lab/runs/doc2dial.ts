import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createEngine, type EngineParts } from "../../src/engine/engine.ts";
import { auroc, quantile } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer } from "../../src/shared/types.ts";
import { coveredShare } from "../judges/covered-share.ts";
import { agenciesOf, type Doc2dialQuestion, pagesOfAgency, readDoc2dial } from "../sets/doc2dial.ts";
import type { EvaluateEvent } from "./va.ts";

export interface Doc2dialOptions {
  /** Folder with `questions.jsonl` and `pages`, or with `doc2dial/`. */
  readonly data: string;
  /** Maximum number of questions. */
  readonly limit: number;
  readonly seed: number;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Minimum share of a span's characters in the shown quotes for the span to count as quoted. */
const QUOTED = 0.5;
/** Minimum words of a span; shorter ones such as "Yes." occur on many pages. */
const STATEMENT_WORDS = 5;

interface Judged {
  readonly item: Doc2dialQuestion;
  readonly answered: boolean;
  readonly page: boolean;
  /** Largest share of a gold span covered by the shown quotes. */
  readonly share: number;
  /** A shown quote of any page contains a gold span verbatim. */
  readonly says: boolean;
  /** Refused when its agency's pages are removed. */
  readonly refusedWithout: boolean;
  readonly confidence: number | null;
  readonly confidenceWithout: number | null;
  readonly words: number;
  readonly latencyMs: number;
}

/**
 * Asks questions over the pages of all agencies and measures whether the grounding span is quoted; then over the other agency's pages
 * alone, and measures refusals. For evaluation only: this set must not be used for training.
 */
export async function* evaluateDoc2dial(options: Doc2dialOptions): AsyncGenerator<EvaluateEvent, void> {
  const nested = join(options.data, "doc2dial");
  const folder = existsSync(nested) ? nested : options.data;
  const questions = readDoc2dial(folder, options);
  const agencies = agenciesOf(folder);
  const total = 2 * questions.length;
  let done = 0;
  const whole = new Map<string, Answer>();
  const without = new Map<string, Answer>();
  for (const { documents, asked, answers, what } of [
    { documents: join(folder, "pages"), asked: questions, answers: whole, what: "all pages" },
    ...agencies.map((agency, i) => {
      const other = agencies[1 - i] as string;
      const asked = questions.filter((one) => one.agency === agency);
      return { documents: pagesOfAgency(folder, other), asked, answers: without, what: `only ${other}` };
    }),
  ]) {
    yield { type: "progress", done, total, what: `reading ${what}` };
    const opened = await openGoldenSet(
      { name: "doc2dial", corpus: folder, documents },
      { ...options, openEngine: (own: Config) => createEngine(own, options.parts) },
    );
    try {
      await opened.engine.answer("warm up", { domain: opened.domain });
      for (const { id, question } of asked) {
        await setImmediate();
        answers.set(id, await opened.engine.answer(question, { domain: opened.domain, signal: options.signal }));
        yield { type: "progress", done: ++done, total, what: `${what}: ${question}` };
      }
    } finally {
      await opened.close();
    }
  }
  const judged = questions.flatMap((item) => {
    const [answer, other] = [whole.get(item.id), without.get(item.id)];
    const page = readFileSync(join(folder, item.document), "utf8");
    return answer === undefined || other === undefined ? [] : [judge(item, page, answer, other)];
  });
  yield { type: "report", ...summarize(judged, options) };
}

function judge(item: Doc2dialQuestion, page: string, answer: Answer, without: Answer): Judged {
  const answered = answer.status === "ok";
  const shown = answered ? answer.citations.flatMap(({ original }) => (original.path === item.document ? [original] : [])) : [];
  return {
    item,
    answered,
    page: shown.length > 0,
    share: Math.max(...item.answers.map(([start, end]) => coveredShare({ start, end }, shown))),
    says: answered && item.answers.some(([start, end]) => saysWordForWord(answer, page.slice(start, end))),
    refusedWithout: without.status !== "ok",
    confidence: answer.confidence,
    confidenceWithout: without.confidence,
    words: answer.sentences.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0),
    latencyMs: answer.latencyMs,
  };
}

/** Tests whether a quote of any page contains the span, ignoring punctuation and spaces. */
function saysWordForWord({ citations }: Answer, span: string): boolean {
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = wordsOf(span);
  return words.length >= STATEMENT_WORDS && citations.some(({ quote }) => ` ${wordsOf(quote).join(" ")} `.includes(` ${words.join(" ")} `));
}

function summarize(judged: readonly Judged[], { command, seed }: Doc2dialOptions): { report: Report; table: TableRow[] } {
  const agencies = [...new Set(judged.map(({ item }) => item.agency))].sort();
  const groups: readonly (readonly [string, readonly Judged[]])[] = [
    ["", judged],
    ["first.", judged.filter(({ item }) => item.turn === 1)],
    ["later.", judged.filter(({ item }) => item.turn > 1)],
    ...agencies.map((agency) => [`${agency}.`, judged.filter(({ item }) => item.agency === agency)] as const),
  ];
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  for (const [prefix, some] of groups) {
    const add = (name: string, hit: (one: Judged) => boolean, note?: string, of = some) => {
      const hits = of.filter(hit).length;
      metrics[`${prefix}${name}`] = of.length === 0 ? null : hits / of.length;
      table.push(countRow(`${prefix}${name}`, hits, of.length, note));
    };
    add("quoted", ({ share }) => share >= QUOTED, "of all questions: the quotes shown hold at least half of a gold span");
    add("quoted.words", ({ share, says }) => share >= QUOTED || says, "or they hold one word for word, on whatever page");
    add("quoted.touched", ({ share }) => share > 0, "they hold some of one");
    add("page", ({ page }) => page, "the page is quoted");
    add("answered", ({ answered }) => answered);
    add(
      "quoted.answered",
      ({ share }) => share >= QUOTED,
      "of those answered",
      some.filter(({ answered }) => answered),
    );
    add("refused.removed", ({ refusedWithout }) => refusedWithout, "asked of the other agency's pages alone");
  }
  const of = (pick: (one: Judged) => number | null) => judged.flatMap((one) => pick(one) ?? []);
  metrics["confidence.auroc"] = auroc(
    of(({ confidence }) => confidence),
    of(({ confidenceWithout }) => confidenceWithout),
  );
  metrics["quoted.auroc"] = auroc(
    of(({ answered, share, confidence }) => (answered && share >= QUOTED ? confidence : null)),
    of(({ answered, share, confidence }) => (answered && share < QUOTED ? confidence : null)),
  );
  metrics["words.median"] = quantile(
    judged.flatMap(({ answered, words }) => (answered ? [words] : [])),
    0.5,
  );
  const latencies = judged.map(({ latencyMs }) => latencyMs);
  const timings = { ask_ms_p50: quantile(latencies, 0.5), ask_ms_p95: quantile(latencies, 0.95) };
  table.push(
    { name: "confidence.auroc", figure: decimal(metrics["confidence.auroc"]), note: "its pages there against its pages gone" },
    { name: "quoted.auroc", figure: decimal(metrics["quoted.auroc"]), note: "quoted against not, of those answered" },
    { name: "words.median", figure: String(metrics["words.median"] ?? "–") },
    { name: "ask", figure: `${timings.ask_ms_p50?.toFixed(0)} ms`, note: `p95 ${timings.ask_ms_p95?.toFixed(0)} ms` },
  );
  const items = judged.map(({ item, latencyMs: _, ...rest }) => ({
    id: item.id,
    agency: item.agency,
    turn: item.turn,
    question: item.question,
    answered: rest.answered,
    page: rest.page,
    share: Number(rest.share.toFixed(4)),
    says: rest.says,
    refused_removed: rest.refusedWithout,
    confidence: rest.confidence,
    confidence_removed: rest.confidenceWithout,
    words: rest.words,
  }));
  const n = { questions: judged.length, first: judged.filter(({ item }) => item.turn === 1).length };
  return {
    report: makeReport({ name: "doc2dial", command, seed, n, metrics, timings, items }),
    table,
  };
}
