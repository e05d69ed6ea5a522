import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import type { TextRange } from "../../src/shared/types.ts";
import { splitSentences } from "../../src/text/sentences.ts";

/** A sentence of an answer; `supported` is `null` if only the whole answer was judged. */
export interface SupportUnit extends TextRange {
  readonly supported: boolean | null;
}

/** An answer with its evidence and human judgement. */
export interface SupportItem {
  readonly set: SupportSetName;
  /** Part of a set that is reported separately. */
  readonly task: string;
  /** Source document. */
  readonly group: string;
  readonly id: string;
  /** The question, where the set has it. */
  readonly question?: string;
  readonly text: string;
  readonly evidence: readonly string[];
  readonly supported: boolean;
  readonly units: readonly SupportUnit[];
}

export const SUPPORT_SETS = ["ragtruth", "wice", "summedits", "begin", "halueval", "tabfact"] as const;
export type SupportSetName = (typeof SUPPORT_SETS)[number];

/**
 * Reads one set of judged answers.
 * @param data folder of sets, one folder each
 * @returns `null` if the set's folder is missing
 * @throws RequestError `golden_invalid` naming file and line
 */
export function readSupportSet(name: SupportSetName, data: string): SupportItem[] | null {
  const folder = join(data, name);
  if (!existsSync(folder)) return null;
  switch (name) {
    case "ragtruth":
      return ragTruth(folder);
    case "wice":
      return wice(folder);
    case "summedits":
      return summEdits(folder);
    case "begin":
      return begin(folder);
    case "halueval":
      return haluEval(folder);
    case "tabfact":
      return tabFact(folder);
    default:
      return name satisfies never;
  }
}

const ragTruthSchema = z.object({
  id: z.string(),
  task: z.string(),
  source_id: z.string(),
  question: z.string().nullable().optional(),
  context: z.string(),
  response: z.string(),
  hallucinated: z.boolean(),
  labels: z.array(z.object({ start: z.number(), end: z.number() })),
});

function ragTruth(folder: string): SupportItem[] {
  return readGolden(folder, "ragtruth", ragTruthSchema).map(
    ({ id, task, source_id, question, context, response, hallucinated, labels }) => ({
      ...(typeof question === "string" ? { question } : {}),
      set: "ragtruth",
      task,
      group: source_id,
      id,
      text: response,
      evidence: task === "qa" ? context.split(/(?:^|\n)\s*passage \d+:/).filter((part) => part.trim() !== "") : [context],
      supported: !hallucinated,
      units: splitSentences(response).map(({ start, end }) => ({
        start,
        end,
        supported: !labels.some((label) => label.start < end && start < label.end),
      })),
    }),
  );
}

const wiceSchema = z.object({ label: z.string(), claim: z.string(), evidence: z.array(z.string()), meta: z.object({ id: z.string() }) });

/** Partly supported counts as not supported, as in the published figures. */
function wice(folder: string): SupportItem[] {
  return readGolden(folder, "claim", wiceSchema).map(({ label, claim, evidence, meta }) => {
    const supported = label === "supported";
    const whole = { start: 0, end: claim.length, supported };
    return {
      set: "wice",
      task: "wice",
      group: sha256(evidence.join("\n")).slice(0, 16),
      id: meta.id,
      text: claim,
      evidence,
      supported,
      units: [whole],
    };
  });
}

const editSchema = z.object({
  id: z.string(),
  domain: z.string(),
  doc_id: z.string(),
  summary: z.string(),
  label: z.number(),
  original_summary: z.string(),
});

/** A sentence that the original contains too is supported; in an inconsistent edit the changed ones are not. */
function summEdits(folder: string): SupportItem[] {
  const texts = new Map(
    readGolden(folder, "docs", z.object({ doc_id: z.string(), text: z.string() })).map(({ doc_id, text }) => [doc_id, text]),
  );
  return readGolden(folder, "summedits", editSchema).flatMap(({ id, domain, doc_id, summary, label, original_summary }): SupportItem[] => {
    const document = texts.get(doc_id);
    if (document === undefined) return [];
    const supported = label === 1;
    const units = splitSentences(summary).map(({ start, end }) => ({
      start,
      end,
      supported: supported || original_summary.includes(summary.slice(start, end)),
    }));
    return [{ set: "summedits", task: domain, group: doc_id, id: `${id}`, text: summary, evidence: [document], supported, units }];
  });
}

const beginSchema = z.object({ data_source: z.string(), knowledge: z.string(), response: z.string(), begin_label: z.string() });

/** Skips generic remarks, which make no claim. People judged whole responses. */
function begin(folder: string): SupportItem[] {
  return readGolden(folder, "begin", beginSchema).flatMap(({ data_source, knowledge, response, begin_label }, i): SupportItem[] => {
    if (begin_label === "Generic" || response.trim() === "") return [];
    const supported = begin_label === "Fully attributable";
    const units = splitSentences(response);
    return [
      {
        set: "begin",
        task: data_source,
        group: sha256(knowledge).slice(0, 16),
        id: String(i),
        text: response,
        evidence: [knowledge],
        supported,
        units: units.map((unit) => ({ ...unit, supported: supported ? true : units.length === 1 ? false : null })),
      },
    ];
  });
}

const haluSchema = z.object({
  id: z.number(),
  knowledge: z.string(),
  right_answer: z.string(),
  hallucinated_one_turn: z.string().nullable(),
  hallucinated_multi_turn: z.string().nullable(),
});

function haluEval(folder: string): SupportItem[] {
  return readGolden(folder, "qa", haluSchema).flatMap(({ id, knowledge, right_answer, hallucinated_one_turn, hallucinated_multi_turn }) => {
    const wrong = new Set([hallucinated_one_turn, hallucinated_multi_turn].filter((answer) => answer !== null));
    const answers = [[right_answer, true] as const, ...[...wrong].map((answer) => [answer, false] as const)];
    return answers
      .filter(([text]) => text.trim() !== "")
      .map(([text, supported], i): SupportItem => {
        const units = [{ start: 0, end: text.length, supported }];
        return { set: "halueval", task: "qa", group: String(id), id: `${id}-${i}`, text, evidence: [knowledge], supported, units };
      });
  });
}

const statementSchema = z.object({ id: z.string(), table_id: z.string(), statement: z.string(), label: z.number(), subset: z.string() });
const tableSchema = z.object({
  table_id: z.string(),
  caption: z.string(),
  header: z.array(z.string()),
  rows: z.array(z.array(z.string())),
});

/** A row becomes a sentence: "header value" for each cell, after the caption. */
function tabFact(folder: string): SupportItem[] {
  const tables = new Map(readGolden(folder, "tables", tableSchema).map((table) => [table.table_id, table]));
  return readGolden(folder, "tabfact", statementSchema).flatMap(({ id, table_id, statement, label, subset }): SupportItem[] => {
    const table = tables.get(table_id);
    if (table === undefined) return [];
    const rows = table.rows.map((row) => row.map((cell, i) => `${table.header[i]?.trim() ?? ""} ${cell.trim()}`).join(", "));
    const supported = label === 1;
    const units = [{ start: 0, end: statement.length, supported }];
    const evidence = [[table.caption, ...rows].join("\n")];
    return [{ set: "tabfact", task: subset, group: table_id, id, text: statement, evidence, supported, units }];
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
