import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, RequestError } from "../errors.ts";
import { describeIssues } from "../text/validate.ts";
import { type GoldenItem, goldenItemSchema } from "./golden-item.ts";

const reportSchema = z.object({ name: z.literal("golden"), items: z.array(goldenItemSchema) });

/**
 * Judged questions of a report that `eval golden --json` wrote.
 * @throws RequestError `baseline_invalid`
 */
export function readGoldenReport(path: string): GoldenItem[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new RequestError("baseline_invalid", `${path} could not be read (${messageOf(cause)}): ${HINT}`, { path }, { cause });
  }
  const parsed = reportSchema.safeParse(value);
  if (parsed.success) return parsed.data.items;
  const faults = describeIssues(parsed.error, reportSchema).slice(0, 3).join("; ");
  throw new RequestError("baseline_invalid", `${path} is no report of \`eval golden\` (${faults}): ${HINT}`, { path });
}

const HINT = "give a file that `eval golden --json FILE` wrote with --against.";
