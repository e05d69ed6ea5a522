import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import type { Answer } from "../../src/shared/types.ts";
import { askStrangers, HALVES, type Half, markedSchema, quotesAny, type StrangersOptions } from "./marked-words.ts";
import type { EvaluateEvent } from "./va.ts";

const rowSchema = z.object({
  set: z.string(),
  question: z.string(),
  /** The questions of the message, as substrings of it; one without answers is not answered by the pages. */
  parts: z.array(z.object({ asks: z.string(), answers: z.array(markedSchema) })).min(2),
});
type Row = z.infer<typeof rowSchema>;

/** `data` must also contain `several`. */
export interface SeveralOptions extends StrangersOptions {
  readonly command: string;
}

interface JudgedPart {
  readonly asks: string;
  readonly isAnswerable: boolean;
  readonly isQuoted: boolean;
  /** A warning names it as unanswered. */
  readonly isNamed: boolean;
  /** A warning names it as refused. */
  readonly isRefused: boolean;
}

interface Judged {
  readonly half: Half;
  readonly set: string;
  readonly question: string;
  readonly shown: boolean;
  readonly confidence: number | null;
  readonly parts: readonly JudgedPart[];
}

/** Evaluates messages with several questions: each should be answered with gold words or named as unanswered. */
export async function* evaluateSeveral(options: SeveralOptions): AsyncGenerator<EvaluateEvent, void> {
  const { data, command, signal } = options;
  const judged: Judged[] = [];
  const rows = HALVES.flatMap((half) => readGolden(join(data, "several"), `${half}.jsonl`, rowSchema).map((row) => ({ half, row })));
  const progress = (what: string) => ({ type: "progress" as const, done: judged.length, total: rows.length, what });
  for (const [set, messages] of Map.groupBy(rows, ({ row }) => row.set)) {
    yield progress(`${set}: reading documents`);
    yield* askStrangers(set, options, async function* ({ engine, domain, corpus }) {
      for (const { half, row } of messages) {
        await setImmediate();
        const { question } = row;
        const answer = await engine.answer(question, { domain, signal });
        judged.push({
          half,
          set,
          question,
          shown: answer.status === "ok",
          confidence: answer.confidence,
          parts: judge(row, answer, corpus),
        });
        yield progress(`${set}: ${question}`);
      }
    });
  }
  yield { type: "report", ...summarize(judged, command) };
}

/** A warning quotes a part of the message. It concerns the last annotated question that starts within the quoted part. */
function judge({ question, parts }: Row, answer: Answer, corpus: string): JudgedPart[] {
  const starts = parts.map(({ asks }) => question.indexOf(asks));
  const namedBy = (code: string) =>
    answer.warnings.flatMap((warning) => {
      const quoted = warning.code === code ? /“(.*)”/su.exec(warning.message)?.[1] : undefined;
      if (quoted === undefined) return [];
      const at = question.indexOf(quoted);
      return starts.findLastIndex((start) => start >= at && start < at + quoted.length);
    });
  const [unanswered, refused] = [namedBy("part_unanswered"), namedBy("part_refused")];
  return parts.map(({ asks, answers }, i) => ({
    asks,
    isAnswerable: answers.length > 0,
    isQuoted: answer.status === "ok" && quotesAny(answer, answers, corpus),
    isNamed: unanswered.includes(i),
    isRefused: refused.includes(i),
  }));
}

function summarize(judged: readonly Judged[], command: string) {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const count = (name: string, hits: number, of: number, note = "") => {
    metrics[name] = of === 0 ? null : hits / of;
    table.push(countRow(name, hits, of, note));
  };
  for (const half of [null, ...HALVES]) {
    const all = judged.filter((one) => half === null || one.half === half);
    const shown = all.filter((one) => one.shown);
    const prefix = half === null ? "" : `${half}.`;
    const whole = all.filter(({ parts }) => parts.every(({ isAnswerable }) => isAnswerable));
    const parts = shown.flatMap((one) => one.parts);
    const [answerable, missing] = [parts.filter((part) => part.isAnswerable), parts.filter((part) => !part.isAnswerable)];
    const quoted = (those: readonly JudgedPart[]) => those.filter(({ isQuoted }) => isQuoted).length;
    const named = (those: readonly JudgedPart[]) => those.filter(({ isNamed }) => isNamed).length;
    const refused = (those: readonly JudgedPart[]) => those.filter(({ isRefused }) => isRefused).length;
    count(
      `${prefix}all_quoted`,
      whole.filter((one) => one.parts.every(({ isQuoted }) => isQuoted)).length,
      whole.length,
      "messages of which the pages answer every part",
    );
    count(
      `${prefix}shown.parts_quoted`,
      quoted(answerable),
      answerable.length,
      "parts that the pages answer, of messages that are answered",
    );
    count(
      `${prefix}shown.some_quoted`,
      shown.filter((one) => one.parts.some(({ isQuoted }) => isQuoted)).length,
      shown.length,
      "messages that are answered: in one part at least with words that answer it",
    );
    count(`${prefix}shown.missing_named`, named(missing) + refused(missing), missing.length, "parts that they do not answer: said so");
    count(`${prefix}shown.quoted_named`, named(answerable), answerable.length, "parts that they answer: said not to be");
    count(`${prefix}shown.answerable_refused`, refused(answerable), answerable.length, "parts that they answer: left open, and said so");
  }
  const n = { messages: judged.length, shown: judged.filter(({ shown }) => shown).length };
  return { report: makeReport({ name: "several", command, n, metrics, items: judged.map((one) => ({ ...one })) }), table };
}
