import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { VERSION } from "../package.ts";
import { sha256Hex } from "../text/hash.ts";
import { goldenItemSchema } from "./golden-item.ts";
import type { GoldenSet } from "./golden-set.ts";
import { writeText } from "./report.ts";
import type { AskedItem } from "./run-golden.ts";

const headSchema = z.object({ run: z.string() });
const lineSchema = z.object({ set: z.string(), latency_ms: z.number(), check_ms: z.number().nullable(), item: goldenItemSchema });

/** Judged questions beside the report that is to come, one line each: what a cancelled run goes on from. */
export interface GoldenJournal {
  /** Of an earlier run of the same questions and settings, by id. */
  known(set: string): ReadonlyMap<string, AskedItem>;
  /** How many there are of them. */
  readonly resumed: number;
  add(set: string, asked: AskedItem): void;
  /** The report is whole. */
  finish(): void;
}

/** What answers depend on; another one starts anew. Documents are told by their questions' folders, not by their text: after an edit begin anew. */
export function runKey(settings: Readonly<Record<string, unknown>>, sets: readonly GoldenSet[]): string {
  return sha256Hex(
    JSON.stringify([
      VERSION,
      settings,
      sets.map(({ name, documents, tenants, answerable, unanswerable }) => [name, documents, tenants, answerable, unanswerable]),
    ]),
  );
}

/**
 * Opens the journal of a report, `REPORT.partial.jsonl`. One of other questions or settings is begun anew; a line that a power cut left half is asked again.
 * @param report `null`: nothing is kept
 * @throws RequestError `report_unwritable`
 */
export function openGoldenJournal(report: string | null, key: string): GoldenJournal {
  const known = new Map<string, Map<string, AskedItem>>();
  if (report === null) return { known: () => new Map(), resumed: 0, add: () => undefined, finish: () => undefined };
  const path = `${report}.partial.jsonl`;
  const earlier = readJournal(path, key);
  for (const { set, item, latency_ms, check_ms } of earlier) {
    const items = known.get(set) ?? new Map<string, AskedItem>();
    known.set(set, items.set(item.id, { item, latencyMs: latency_ms, checkMs: check_ms }));
  }
  const lines = earlier.map((line) => JSON.stringify(line));
  writeText(path, `${[JSON.stringify({ run: key }), ...lines].join("\n")}\n`);
  return {
    known: (set) => known.get(set) ?? new Map(),
    resumed: earlier.length,
    add: (set, { item, latencyMs, checkMs }) =>
      appendFileSync(path, `${JSON.stringify({ set, latency_ms: latencyMs, check_ms: checkMs, item })}\n`),
    finish: () => rmSync(path, { force: true }),
  };
}

function readJournal(path: string, key: string): z.infer<typeof lineSchema>[] {
  if (!existsSync(path)) return [];
  const [head, ...lines] = readFileSync(path, "utf8").split("\n").map(parseJson);
  const begun = headSchema.safeParse(head);
  if (!begun.success || begun.data.run !== key) return [];
  return lines.flatMap((line) => {
    const parsed = lineSchema.safeParse(line);
    return parsed.success ? [parsed.data] : [];
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A line that was not written to its end is no item.
    return null;
  }
}
