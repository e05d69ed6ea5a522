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
  first: z.string(),
  follow_up: z.string(),
  answers: z.array(markedSchema),
  kind: z.enum(["answered", "missing", "switch"]),
});
type Row = z.infer<typeof rowSchema>;

/** `data` must also contain `follow-ups`. */
export interface DialogOptions extends StrangersOptions {
  readonly command: string;
}

interface Judged {
  readonly half: Half;
  readonly row: Row;
  readonly outcome: "right" | "wrong" | "refused";
  readonly confidence: number | null;
  readonly firstShown: boolean;
  /** The answer begins with the same sentence as the previous turn's answer. */
  readonly repeats: boolean;
  readonly sentences: readonly string[];
}

/** Evaluates the second question of a conversation: whether the answer quotes gold words, and whether unanswerable ones are refused. */
export async function* evaluateDialogs(options: DialogOptions): AsyncGenerator<EvaluateEvent, void> {
  const { data, command, signal } = options;
  const judged: Judged[] = [];
  const rows = HALVES.flatMap((half) => readGolden(join(data, "follow-ups"), `${half}.jsonl`, rowSchema).map((row) => ({ half, row })));
  const progress = (what: string) => ({ type: "progress" as const, done: judged.length, total: rows.length, what });
  for (const [set, conversations] of Map.groupBy(rows, ({ row }) => row.set)) {
    yield progress(`${set}: reading documents`);
    yield* askStrangers(set, options, async function* ({ engine, domain, corpus }) {
      for (const [i, { half, row }] of conversations.entries()) {
        await setImmediate();
        const sessionId = `${set}-${i}`;
        const before = await engine.answer(row.first, { domain, sessionId, signal });
        const answer = await engine.answer(row.follow_up, { domain, sessionId, signal });
        judged.push(judge({ half, row }, before, answer, corpus));
        yield progress(`${set}: ${row.follow_up}`);
      }
    });
  }
  yield { type: "report", ...summarize(judged, command) };
}

function judge({ half, row }: Pick<Judged, "half" | "row">, before: Answer, answer: Answer, corpus: string): Judged {
  const shown = answer.status === "ok";
  return {
    half,
    row,
    outcome: !shown ? "refused" : quotesAny(answer, row.answers, corpus) ? "right" : "wrong",
    confidence: answer.confidence,
    firstShown: before.status === "ok",
    repeats: shown && before.sentences[0]?.text === answer.sentences[0]?.text,
    sentences: answer.sentences.map(({ text }) => text),
  };
}

function summarize(judged: readonly Judged[], command: string) {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const count = (name: string, hits: readonly Judged[], of: readonly Judged[], note = "") => {
    metrics[name] = of.length === 0 ? null : hits.length / of.length;
    table.push(countRow(name, hits.length, of.length, note));
  };
  const are = (those: readonly Judged[], outcome: Judged["outcome"]) => those.filter((one) => one.outcome === outcome);
  for (const half of [null, ...HALVES]) {
    const all = judged.filter((one) => half === null || one.half === half);
    const of = (kind: Row["kind"]) => all.filter(({ row }) => row.kind === kind);
    const prefix = half === null ? "" : `${half}.`;
    const shown = all.filter(({ outcome }) => outcome !== "refused");
    count(`${prefix}answered.right`, are(of("answered"), "right"), of("answered"), "the pages answer what leans on the first question");
    count(`${prefix}switch.right`, are(of("switch"), "right"), of("switch"), "another subject, which they answer");
    count(`${prefix}missing.refused`, are(of("missing"), "refused"), of("missing"), "they do not say it");
    count(`${prefix}shown.wrong`, are(all, "wrong"), shown);
    count(
      `${prefix}shown.repeats`,
      shown.filter(({ repeats }) => repeats),
      shown,
      "begin as the answer before did",
    );
  }
  const n = { conversations: judged.length, first_answered: judged.filter(({ firstShown }) => firstShown).length };
  return { report: makeReport({ name: "dialogs", command, n, metrics, items: judged.map((one) => ({ ...one })) }), table };
}
