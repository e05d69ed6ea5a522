import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer, Conflict } from "../../src/shared/types.ts";
import { type ContradictionRow, contradictionsIn, readContradictions, toPage } from "../sets/contradictions.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ContradictionsOptions {
  /** Folder with the set `contradictions`. */
  readonly data: string;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly field: string;
  readonly kind: string;
  readonly contradicts: boolean;
  readonly question: string;
  readonly shown: boolean;
  /** At least one of the two sentences is quoted. */
  readonly isEitherQuoted: boolean;
  readonly areBothShown: boolean;
  /** A conflict between the two sentences is shown. */
  readonly isFound: boolean;
  /** A conflict between other sentences is shown. */
  readonly hasOther: boolean;
}

/** Evaluates pairs of pages that contradict each other or only look like it: asks each question over all pages of its field. */
export async function* evaluateContradictions(options: ContradictionsOptions): AsyncGenerator<EvaluateEvent, void> {
  const { data, command, signal } = options;
  const rows = readContradictions(contradictionsIn(data), "held-out");
  const judged: Judged[] = [];
  for (const [field, some] of Map.groupBy(rows, (row) => row.field)) {
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-pages-"));
    for (const [i, row] of some.entries())
      for (const side of ["a", "b"] as const) writeFileSync(join(folder, `${i}${side}.md`), toPage(row[side]));
    const opening = { ...options, openEngine: (own: Config): Promise<Engine> => createEngine(own, options.parts) };
    const { engine, domain, close } = await openGoldenSet({ name: field, corpus: folder, documents: folder }, opening);
    try {
      for (const row of some) {
        await setImmediate();
        judged.push(judge(row, await engine.answer(row.question, { domain, signal })));
        yield { type: "progress", done: judged.length, total: rows.length, what: `${field}: ${row.question}` };
      }
    } finally {
      await close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  yield { type: "report", ...summarize(judged, command) };
}

function judge(row: ContradictionRow, { status, citations, conflicts }: Answer): Judged {
  const { field, kind, contradicts, question, quote_a, quote_b } = row;
  const quotes = citations.map(({ quote }) => quote);
  const isAmong = (quote: string, texts: readonly string[]) => texts.some((text) => text.includes(quote) || quote.includes(text));
  const isFound = ({ sides }: Conflict) => {
    const texts = sides.map((side) => side.quote);
    return isAmong(quote_a, texts) && isAmong(quote_b, texts);
  };
  const seen = [...quotes, ...conflicts.filter(isFound).flatMap(({ sides }) => sides.map((side) => side.quote))];
  return {
    ...{ field, kind, contradicts, question },
    shown: status === "ok",
    isEitherQuoted: isAmong(quote_a, quotes) || isAmong(quote_b, quotes),
    areBothShown: isAmong(quote_a, seen) && isAmong(quote_b, seen),
    isFound: conflicts.some(isFound),
    hasOther: conflicts.some((one) => !isFound(one)),
  };
}

function summarize(judged: readonly Judged[], command: string) {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const count = (name: string, some: readonly Judged[], passes: (one: Judged) => boolean, note: string) => {
    const hits = some.filter(passes).length;
    metrics[name] = some.length === 0 ? null : hits / some.length;
    table.push(countRow(name, hits, some.length, note));
  };
  const clashes = judged.filter(({ contradicts }) => contradicts);
  const alike = judged.filter(({ contradicts }) => !contradicts);
  count(
    "clash.answered",
    clashes,
    ({ shown, isEitherQuoted }) => shown && isEitherQuoted,
    "contradictions: one of both is quoted at least",
  );
  count("clash.found", clashes, ({ isFound }) => isFound, "they are said to disagree");
  count("clash.both", clashes, ({ areBothShown }) => areBothShown, "both are shown, as quotes or as what disagrees");
  for (const [kind, some] of Map.groupBy(clashes, (one) => one.kind)) count(`clash.found.${kind}`, some, ({ isFound }) => isFound, "");
  count("alike.found", alike, ({ isFound }) => isFound, "what looks like a contradiction is said to be one");
  count(
    "other",
    judged.filter(({ shown }) => shown),
    ({ hasOther }) => hasOther,
    "answers that say of two other sentences that they disagree",
  );
  const n = { pairs: judged.length, shown: judged.filter(({ shown }) => shown).length };
  return { report: makeReport({ name: "contradictions", command, n, metrics, items: judged.map((one) => ({ ...one })) }), table };
}
