import { z } from "zod";
import type { GoldenItem } from "../grading/golden-item.ts";
import type { Change } from "../grading/golden-report.ts";
import type { Report } from "../grading/report.ts";
import type { CitationStanding } from "../memory/citation-states.ts";
import { NODE_TYPES } from "../memory/graph-view.ts";
import type { RecordedCall } from "../pipeline/context.ts";
import { citationSchema } from "../shared/types/answer.ts";
import { type InProcess, optional } from "../text/validate.ts";
import { askRequestSchema, named, nextCursor, requestSchema } from "./ask.ts";
import { toWire } from "./to-wire.ts";

// Wire formats of the details behind answers: states of citations, versions, graph, model calls, golden runs.

const { title, url, quote, start, end, unit, document_id, document_version, heading_path, original } = citationSchema.shape;

/** `GET /v1/answers/ID/citations` */
export const citationStatesSchema = z.object({
  id: z.string().describe("Id of the answer."),
  citations: z.array(
    z.object({
      n: z.int().describe("Number in the answer's text: `[n]`."),
      state: z
        .enum(["same", "moved", "changed", "gone"])
        .describe("`moved`: same text, another place; `gone`: deleted, or not accessible to the asker."),
      likeness: z
        .number()
        .min(0)
        .max(1)
        .describe("Share of the quote's words that the text at the current place contains; rare words count more."),
      now: z
        .object({ document_id, document_version, title, url, quote, start, end, unit, heading_path, original })
        .extend({ page: z.int().nullable().describe("Page on which the quote begins, from 1; `null`: the document has no pages.") })
        .nullable()
        .describe("Place of the quote in the current version of the document, or of the text that replaced it; `null`: gone."),
    }),
  ),
});

export type WireCitationStates = z.infer<typeof citationStatesSchema>;

export function citationStatesToWire(id: string, citations: readonly CitationStanding[]): WireCitationStates {
  const standing = citations.map(({ now, ...one }) => ({ ...one, now: now && { ...now, unit: "utf16" as const } }));
  return toWire(citationStatesSchema, { id, citations: standing });
}

export const versionListSchema = z.object({
  items: z.array(
    z.object({
      version: z.string(),
      revision: z.int().describe("Revision of the domain that introduced this version."),
      kept: z.boolean().describe("True if its text can be read: a replaced text is kept while a recorded answer may depend on it."),
    }),
  ),
});
export type WireVersions = z.infer<typeof versionListSchema>;

const kinds = NODE_TYPES.join("|");
const nodeTypes = z.string().regex(new RegExp(`^(?:${kinds})(?:,(?:${kinds}))*$`), `must contain values of ${NODE_TYPES.join(",")}`);

export const graphQuerySchema = z.strictObject({
  ...named,
  types: optional(nodeTypes, "Node types, comma-separated; all when absent."),
  words: z.string().max(200).default("").describe("Words that the label of a node or of one of its neighbours must contain."),
  around: optional(z.string().min(1).max(600), "Id of a node: return only it and its neighbours."),
  limit: z.coerce.number().int().min(1).max(2_000).default(120),
});

const nodeType = z.enum(NODE_TYPES);
export const graphSchema = z.object({
  totals: z.record(nodeType, z.int()).describe("Nodes in the whole graph."),
  edges: z.int(),
  fitting: z.int().describe("Nodes that match the filters; `nodes` contains those with the most links."),
  nodes: z.array(
    z.object({
      id: z.string(),
      type: nodeType,
      label: z.string(),
      degree: z.int().describe("Number of neighbours in the whole graph."),
      refers_to: z.string().nullable().describe("Id of the document or answer that the node represents."),
    }),
  ),
  links: z.array(z.tuple([z.int(), z.int()])).describe("Pairs of indexes into `nodes`."),
});
export type WireGraph = z.infer<typeof graphSchema>;

export const callsSchema = z.object({
  recorded: z.boolean().describe("False: a model was called, but its calls were not recorded."),
  calls: z.array(
    z.object({
      model: z.string(),
      prompt_sha256: z.string(),
      prompt: z.object({ system: z.string(), user: z.string() }).nullable().describe("`null`: recorded before prompts were kept."),
      text: z.string().describe("Output of the model."),
      input_tokens: z.int().nullable(),
      output_tokens: z.int().nullable(),
      failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});
export type WireCalls = z.infer<typeof callsSchema>;

/** Converts recorded calls to their wire format; `null`: not recorded. */
export function callsToWire(calls: readonly RecordedCall[] | null): WireCalls {
  const known = (calls ?? []).map(({ prompt, sent = null, ...call }) => ({ ...call, promptSha256: prompt, prompt: sent }));
  return toWire(callsSchema, { recorded: calls !== null, calls: known });
}

const questionFile = z.strictObject({ name: z.string().min(1).max(200), text: z.string() });

export const evaluationRequestSchema = requestSchema("POST /v1/evaluations", {
  domain: named.domain,
  profile: askRequestSchema.shape.profile,
  questions: optional(questionFile, "In the format of `eval golden --golden`; absent: the golden set of the domain pack."),
});
export const evaluationQuerySchema = z.strictObject({ against: optional(z.string().max(100), "Id of another run to compare with.") });

/** Type of a report for the web app. The JSON schema says only "object". */
type WireReport = Omit<Report, "items"> & { readonly items: readonly GoldenItem[] };
const report = z.looseObject({}) as unknown as z.ZodType<WireReport, Report>;

const change = z.object({ name: z.string(), before: z.number(), difference: z.number(), low: z.number(), high: z.number() });

export const evaluationSchema = z.object({
  id: z.string(),
  domain: z.string(),
  profile: z.string().nullable(),
  questions: z.string().nullable().describe("Name of the uploaded question file; `null`: the golden set of the domain pack."),
  state: z.enum(["running", "done", "failed", "stopped"]),
  done: z.int().describe("Number of finished questions."),
  total: z.int(),
  reason: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  report: report.nullable().describe("In the format of `eval golden --json`; `items` is empty in a list of runs."),
  changes: optional(z.array(change), "Difference from the run in `against`, on the questions common to both, with 95 % intervals."),
});
export type WireEvaluation = z.infer<typeof evaluationSchema>;
export const evaluationListSchema = z.object({ items: z.array(evaluationSchema), next_cursor: nextCursor });

export function evaluationToWire(evaluation: InProcess<z.input<typeof evaluationSchema>>, changes?: readonly Change[]): WireEvaluation {
  return toWire(evaluationSchema, { ...evaluation, changes });
}
