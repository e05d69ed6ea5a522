import { z } from "zod";
import type { Change } from "../grading/golden-report.ts";
import type { Report } from "../grading/report.ts";
import type { CitationStanding } from "../memory/citation-states.ts";
import { NODE_TYPES } from "../memory/graph-view.ts";
import type { RecordedCall } from "../pipeline/context.ts";
import { citationSchema } from "./answer.ts";
import { askRequestSchema, named, nextCursor } from "./ask.ts";
import { type InProcess, toWire } from "./to-wire.ts";

/** Details behind answers: citation states, versions, graph, model calls, golden runs. */

const { title, url, quote, start, end, unit, document_id, document_version, heading_path, original } = citationSchema.shape;

/** `GET /v1/answers/ID/citations` */
export const citationStatesSchema = z.object({
  id: z.string().describe("Of the answer."),
  citations: z.array(
    z.object({
      n: z.int().describe("The number in the answer's text: `[n]`."),
      state: z
        .enum(["same", "moved", "changed", "gone"])
        .describe("`moved`: the same, elsewhere; `gone`: deleted, or not open to the asker."),
      likeness: z.number().min(0).max(1).describe("Share of the quote's words, weighted by rarity, that stand there today."),
      now: z
        .object({ document_id, document_version, title, url, quote, start, end, unit, heading_path, original })
        .extend({ page: z.int().nullable().describe("Page on which it begins, from 1; `null`: the document has no pages.") })
        .nullable()
        .describe("Where it, or what it became, stands in the current version; `null`: gone."),
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
      revision: z.int().describe("Of the domain, at which this version came."),
      kept: z.boolean().describe("Its text can be read: replaced texts are kept while a recorded answer may rest on them."),
    }),
  ),
});
export type WireVersions = z.infer<typeof versionListSchema>;

/** Default and maximum number of nodes per request. */
const GRAPH_NODES = { default: 120, most: 2_000 } as const;

const kinds = NODE_TYPES.join("|");
const nodeTypes = z.string().regex(new RegExp(`^(?:${kinds})(?:,(?:${kinds}))*$`), `names some of ${NODE_TYPES.join(",")}`);

export const graphQuerySchema = z.strictObject({
  ...named,
  types: nodeTypes.optional().describe("Kinds of nodes, comma-separated; all where absent."),
  words: z.string().max(200).default("").describe("A node's label holds all of them, or that of one which it is joined to."),
  around: z.string().min(1).max(600).optional().describe("Id of a node: only it and those that it is joined to."),
  limit: z.coerce.number().int().min(1).max(GRAPH_NODES.most).default(GRAPH_NODES.default),
});

const nodeType = z.enum(NODE_TYPES);
export const graphSchema = z.object({
  totals: z.record(nodeType, z.int()).describe("Nodes of the whole graph."),
  edges: z.int(),
  fitting: z.int().describe("Nodes that fit the filters; the most joined of them are in `nodes`."),
  nodes: z.array(
    z.object({
      id: z.string(),
      type: nodeType,
      label: z.string(),
      degree: z.int().describe("Nodes that it is joined to, in the whole graph."),
      refers_to: z.string().nullable().describe("Id of the document or the answer that it stands for."),
    }),
  ),
  links: z.array(z.tuple([z.int(), z.int()])).describe("Pairs of indexes into `nodes`."),
});
export type WireGraph = z.infer<typeof graphSchema>;

export const callsSchema = z.object({
  recorded: z.boolean().describe("False: a model was asked whose calls are not recorded."),
  calls: z.array(
    z.object({
      model: z.string(),
      prompt_sha256: z.string(),
      prompt: z.object({ system: z.string(), user: z.string() }).nullable().describe("`null`: recorded before prompts were kept."),
      text: z.string().describe("What the model said."),
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

export const evaluationRequestSchema = z
  .strictObject({
    domain: named.domain,
    profile: askRequestSchema.shape.profile,
    questions: questionFile.optional().describe("As `eval golden --golden` reads it. @default the set of the pack"),
  })
  .describe("POST /v1/evaluations");
export const evaluationQuerySchema = z.strictObject({
  against: z.string().max(100).optional().describe("Id of another run to compare with."),
});

/** The page uses this type; the JSON schema only says "object". */
const report = z.looseObject({}) as unknown as z.ZodType<Report, Report>;

const change = z.object({ name: z.string(), before: z.number(), difference: z.number(), low: z.number(), high: z.number() });

export const evaluationSchema = z.object({
  id: z.string(),
  domain: z.string(),
  profile: z.string().nullable(),
  questions: z.string().nullable().describe("Name of the file of questions that was sent; `null`: the set of the pack."),
  state: z.enum(["running", "done", "failed", "stopped"]),
  done: z.int().describe("Questions that were asked."),
  total: z.int(),
  reason: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  report: report.nullable().describe("As `eval golden --json` writes it; in lists without its questions."),
  changes: z.array(change).optional().describe("From the run that `against` names, on the questions that both asked, with 95 % intervals."),
});
export type WireEvaluation = z.infer<typeof evaluationSchema>;
export const evaluationListSchema = z.object({ items: z.array(evaluationSchema), next_cursor: nextCursor });

export function evaluationToWire(evaluation: InProcess<WireEvaluation>, changes?: readonly Change[]): WireEvaluation {
  return toWire(evaluationSchema, { ...evaluation, changes });
}
