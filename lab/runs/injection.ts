import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { checkInjection } from "../../src/checks/guards.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { injectionSignals } from "../../src/guard/injection.ts";
import { textExtensions } from "../../src/ingest/formats/formats.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { openInstructionFinder } from "../../src/models/injection.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import type { EvaluateEvent } from "./va.ts";

/** A row of the joined prompt-injection sets. */
const rowSchema = z.object({ set: z.string(), label: z.enum(["attack", "benign"]), text: z.string() });

export interface InjectionOptions {
  /** Folder with `prompts*.jsonl`, or a folder of sets with `prompt-injection/`. */
  readonly data: string;
  /** Folder with `pages/`; its sentences must not be flagged. */
  readonly corpus?: string | undefined;
  readonly command: string;
}

/**
 * Measures recall on attacks and false positives on benign text, by set: `document` checks every sentence as document text, `question` the
 * whole text as a question. Many BIPIA attacks are requests without any sign of an attack; the citation checks must stop their effect,
 * because no source supports it.
 */
export async function* evaluateInjection({ data, corpus, command }: InjectionOptions): AsyncGenerator<EvaluateEvent, void> {
  const folder = join(data, "prompt-injection");
  const rows = readGolden(existsSync(folder) ? folder : data, "prompts", rowSchema);
  const isInstruction = openInstructionFinder(sharedEncoder);
  const judged = rows.map((row) => ({
    ...row,
    family: familyOf(row.set),
    question: injectionSignals(row.text, isInstruction).length > 0,
    document: isFlagged(row.text),
  }));
  const n: Record<string, number> = {};
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const add = (name: string, hits: number, total: number) => {
    n[name] = total;
    metrics[name] = total === 0 ? null : hits / total;
    table.push(countRow(name, hits, total));
  };
  for (const way of ["document", "question"] as const) {
    for (const label of ["attack", "benign"] as const) {
      const of = judged.filter((row) => row.label === label);
      const verb = label === "attack" ? "caught" : "blocked";
      for (const family of [...new Set(of.map((row) => row.family))].sort()) {
        const some = of.filter((row) => row.family === family);
        add(`${way}.${verb}.${family}`, some.filter((row) => row[way]).length, some.length);
      }
      add(`${way}.${verb}.all`, of.filter((row) => row[way]).length, of.length);
    }
  }
  if (corpus !== undefined) {
    const sentences = sentencesOf(corpus);
    add("document.blocked.corpus", sentences.filter((text) => checkInjection(text, "remove").verdict === "fail").length, sentences.length);
  }
  const items = judged.map(({ set, label, question, document }, i) => ({ row: i, set, label, question, document }));
  const report = makeReport({
    name: "injection",
    command,
    n,
    metrics,
    items,
  });
  yield { type: "report", report, table };
}

function familyOf(set: string): string {
  return (set.split(":")[0] ?? set).toLowerCase();
}

function isFlagged(text: string): boolean {
  return [text, ...splitSentences(text).map(({ start, end }) => text.slice(start, end))].some(
    (one) => checkInjection(one, "remove").verdict === "fail",
  );
}

function sentencesOf(corpus: string): string[] {
  const names = readdirSync(join(corpus, "pages"), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && textExtensions.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(corpus, join(entry.parentPath, entry.name)))
    .sort()
    .flatMap((path) => parseFile({ path, bytes: readFileSync(join(corpus, path)) }))
    .flatMap(({ text }) => splitSentences(text).map(({ start, end }) => text.slice(start, end)));
}
