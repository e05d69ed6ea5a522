import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { findPersonalData, PERSONAL_KINDS, type PersonalData, type PersonalKind } from "../../src/guard/pii.ts";
import type { TextRange } from "../../src/shared/types.ts";
import type { EvaluateEvent } from "./va.ts";

/** A row of presidio-research's synthetic sentences (Microsoft, MIT). */
const rowSchema = z.object({
  full_text: z.string(),
  template_id: z.union([z.int(), z.string()]).nullable().default(null),
  spans: z.array(z.object({ entity_type: z.string(), entity_value: z.string(), start_position: z.int(), end_position: z.int() })),
});
type Row = z.infer<typeof rowSchema>;

/** The set's label for each of our kinds; it has no file numbers. */
const LABELS: Readonly<Partial<Record<PersonalKind, string>>> = {
  email: "EMAIL_ADDRESS",
  iban: "IBAN_CODE",
  card: "CREDIT_CARD",
  ssn: "US_SSN",
  phone: "PHONE_NUMBER",
  address: "STREET_ADDRESS",
};
/** Kinds of personal data in the set that have no fixed format. */
const NOT_DETECTED = ["PERSON", "US_DRIVER_LICENSE", "IP_ADDRESS", "ZIP_CODE"] as const;

export interface PiiOptions {
  /** Folder with `synth_dataset*.jsonl`, or a folder of sets that contains it. */
  readonly data: string;
  readonly command: string;
}

/**
 * Measures recall and precision of personal data by kind. A labelled span is found if a finding of its kind overlaps it, and redacted if
 * every letter and digit of it is covered; a finding is correct if it overlaps a span of its kind.
 */
export async function* evaluatePii({ data, command }: PiiOptions): AsyncGenerator<EvaluateEvent, void> {
  const folder = join(data, "pii-presidio");
  const rows = readGolden(existsSync(folder) ? folder : data, "synth_dataset", rowSchema);
  const judged = rows.map((row) => ({ row, found: findPersonalData(row.full_text) }));
  const n: Record<string, number> = { sentences: rows.length };
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const add = (name: string, hits: number, total: number, note?: string) => {
    n[name] = total;
    metrics[name] = total === 0 ? null : hits / total;
    table.push(countRow(name, hits, total, note));
  };
  for (const kind of PERSONAL_KINDS) {
    const label = LABELS[kind];
    if (label === undefined) continue;
    const spans = judged.flatMap(({ row, found }) => labelled(row, label).map((span) => ({ span, found, text: row.full_text })));
    const findings = judged.flatMap(({ row, found }) => found.filter((one) => one.kind === kind).map((one) => ({ one, row })));
    add(
      `recall.${kind}`,
      spans.filter(({ span, found }) => found.some((one) => one.kind === kind && overlaps(one, span))).length,
      spans.length,
    );
    add(`redacted.${kind}`, spans.filter(({ span, found, text }) => isCovered(text, span, found)).length, spans.length);
    const right = findings.filter(({ one, row }) => labelled(row, label).some((span) => overlaps(one, span)));
    add(`precision.${kind}`, right.length, findings.length);
  }
  for (const label of NOT_DETECTED) {
    const spans = judged.flatMap(({ row, found }) => labelled(row, label).map((span) => ({ span, found })));
    const hits = spans.filter(({ span, found }) => found.some((one) => overlaps(one, span))).length;
    add(`recall.${label.toLowerCase()}`, hits, spans.length, "no form to go by: found by accident only");
  }
  const clean = judged.filter(({ row }) => row.spans.every(({ entity_type }) => !Object.values(LABELS).includes(entity_type)));
  add(
    "false_alarms",
    clean.filter(({ found }) => found.some(({ kind }) => kind !== "file-number")).length,
    clean.length,
    "sentences without any of the kinds",
  );
  const items = judged.map(({ row, found }) => ({
    template: row.template_id,
    found: found.map(({ kind, start, end }) => ({ kind, start, end })),
  }));
  const report = makeReport({
    name: "pii",
    command,
    n,
    metrics,
    items,
  });
  yield { type: "report", report, table };
}

function labelled({ spans }: Row, label: string): TextRange[] {
  return spans
    .filter(({ entity_type }) => entity_type === label)
    .map(({ start_position, end_position }) => ({ start: start_position, end: end_position }));
}

function overlaps(a: TextRange, b: TextRange): boolean {
  return a.start < b.end && b.start < a.end;
}

function isCovered(text: string, { start, end }: TextRange, found: readonly PersonalData[]): boolean {
  for (let i = start; i < end; i++) {
    if (/[\p{L}\p{N}]/u.test(text.charAt(i)) && !found.some((one) => one.start <= i && i < one.end)) return false;
  }
  return true;
}
