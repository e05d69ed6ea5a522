import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../models/read-json.ts";
import { VERSION } from "../package.ts";
import { playbackModels, recordModels } from "../pipeline/assemble.ts";
import { type Models, type RecordedCall, recordedCallSchema } from "../pipeline/context.ts";
import { messageOf, RequestError } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import { goldenItemSchema } from "./golden-item.ts";
import type { GoldenSet } from "./golden-set.ts";
import { writeText } from "./report.ts";
import type { AskedItem } from "./run-golden.ts";

const headSchema = z.object({ run: z.string() });
const lineSchema = z.object({ set: z.string(), latency_ms: z.number(), check_ms: z.number().nullable(), item: goldenItemSchema });

/**
 * Hashes the inputs of an evaluation run. A journal (`openGoldenJournal`) with another hash is not continued. The hash
 * covers the paths of documents but not their text, so delete the journal after editing a document.
 */
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
 * Opens the journal of a report, `REPORT.partial.jsonl`. It has one line per judged question, so that a cancelled run can
 * be continued. A journal of other questions or settings is overwritten. A question with an incomplete line is asked again.
 * @param report path of the report; `null`: no journal
 * @throws RequestError `report_unwritable`
 */
export function openGoldenJournal(report: string | null, key: string) {
  const path = report === null ? null : `${report}.partial.jsonl`;
  const earlier = path === null ? [] : readJournal(path, key);
  const known = Map.groupBy(earlier, ({ set }) => set);
  const lines = earlier.map((line) => JSON.stringify(line));
  if (path !== null) writeText(path, `${[JSON.stringify({ run: key }), ...lines].join("\n")}\n`);
  return {
    /** Returns the judged questions of an earlier run with the same questions and settings, by id. */
    known: (set: string): ReadonlyMap<string, AskedItem> =>
      new Map(known.get(set)?.map(({ item, latency_ms, check_ms }) => [item.id, { item, latencyMs: latency_ms, checkMs: check_ms }])),
    /** Number of judged questions of the earlier run. They are not asked again. */
    resumed: earlier.length,
    add(set: string, { item, latencyMs, checkMs }: AskedItem): void {
      const line = { set, latency_ms: latencyMs, check_ms: checkMs, item };
      if (path !== null) appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
    /** Deletes the journal once the report is complete. */
    finish(): void {
      if (path !== null) rmSync(path, { force: true });
    },
  };
}

function readJournal(path: string, key: string): z.infer<typeof lineSchema>[] {
  if (!existsSync(path)) return [];
  // A line that was written incompletely is not JSON. It is left out below.
  const [head, ...lines] = readFileSync(path, "utf8").split("\n").map(parseJson);
  const begun = headSchema.safeParse(head);
  if (!begun.success || begun.data.run !== key) return [];
  return lines.flatMap((line) => {
    const parsed = lineSchema.safeParse(line);
    return parsed.success ? [parsed.data] : [];
  });
}

const fileSchema = z.object({
  small: z.string(),
  large: z.string(),
  calls: z.array(recordedCallSchema),
});

/**
 * Records model calls. If the file exists, its calls are kept.
 * @throws RequestError `recording_invalid` if the existing file is invalid, `config_invalid` if no model is configured
 */
export function recordOutput(path: string, models: Models) {
  if (models === null)
    throw new RequestError("config_invalid", "There is no model whose output could be recorded. Configure `model`, or omit --record.");
  const calls: RecordedCall[] = existsSync(path) ? [...readRecording(path).calls] : [];
  return {
    models: recordModels(models, calls),
    /** Writes the calls so far. @throws RequestError `recording_unwritable` */
    save(): void {
      try {
        writeFileSync(path, `${JSON.stringify({ small: models.small.id, large: models.large.id, calls })}\n`);
      } catch (cause) {
        const message = `Model output could not be written to ${path} (${messageOf(cause)}). Choose a file in an existing folder.`;
        throw new RequestError("recording_unwritable", message, { path }, { cause });
      }
    },
  };
}

/** Replays recorded model output. Without a recording of a prompt, the answer is quotes. @throws RequestError `recording_invalid` */
export function playOutput(path: string): Models {
  const { small, large, calls } = readRecording(path);
  return playbackModels({ small, large }, calls);
}

function readRecording(path: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const message = `${path} contains no recorded model output (${messageOf(cause).slice(0, 200)}). Use a file written by \`eval golden --record FILE\`.`;
    throw new RequestError("recording_invalid", message, { path }, { cause });
  }
}
