import { z } from "zod";
import type { RecordedCall } from "../answer/recorded-calls.ts";
import type { Evaluation } from "../grade/run-evaluation.ts";
import type { Change } from "../grade/golden-report.ts";
import { type GraphView, NODE_TYPES } from "../remember/graph-view.ts";
import { askRequestSchema } from "./ask.ts";
import { nextCursor } from "./service.ts";

/** What the page's rooms look into beside answers: versions, the graph, calls of models, golden runs. */

const { domain, tenant, profile } = askRequestSchema.shape;

export const versionListSchema = z.object({
  items: z.array(
    z.object({
      version: z.string(),
      revision: z.int().describe("Of the domain, at which this version came."),
      kept: z
        .boolean()
        .describe(
          "Its text can be read: `GET /v1/documents/ID?version=…`. Replaced texts are kept while a recorded answer may rest on them.",
        ),
    }),
  ),
});
export type WireVersions = z.infer<typeof versionListSchema>;

/** Nodes that a request gets where it does not say how many, and at most. */
const GRAPH_NODES = { default: 120, most: 2_000 } as const;

export const graphQuerySchema = z.strictObject({
  domain,
  tenant,
  types: z
    .string()
    .regex(new RegExp(`^(?:${NODE_TYPES.join("|")})(?:,(?:${NODE_TYPES.join("|")}))*$`), `names some of ${NODE_TYPES.join(",")}`)
    .optional()
    .describe("Kinds of nodes, comma-separated; all where absent."),
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

export function graphToWire({ nodes, links, totals, edges, fitting }: GraphView): WireGraph {
  return {
    ...{ totals, edges, fitting },
    nodes: nodes.map(({ refersTo, ...node }) => ({ ...node, refers_to: refersTo })),
    links: links.map(([from, to]) => [from, to]),
  };
}

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

export const evaluationRequestSchema = z
  .strictObject({
    ...{ domain, profile },
    questions: z
      .strictObject({ name: z.string().min(1).max(200), text: z.string() })
      .optional()
      .describe("A file of questions with their right answers, as `eval golden --golden` reads it. @default the set of the pack"),
  })
  .describe("POST /v1/evaluations");
export const evaluationQuerySchema = z.strictObject({
  against: z.string().max(100).optional().describe("Id of another run to compare with."),
});

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
  report: z.looseObject({}).nullable().describe("As `eval golden --json` writes it; in lists without its questions."),
  changes: z
    .array(z.object({ name: z.string(), before: z.number(), difference: z.number(), low: z.number(), high: z.number() }))
    .optional()
    .describe(
      "Differences from the run that `against` names, on the questions that both asked, with 95 % intervals of the paired bootstrap.",
    ),
});
export const evaluationListSchema = z.object({ items: z.array(evaluationSchema), next_cursor: nextCursor });

/** `report` as the page reads it. */
export interface WireEvaluation extends Omit<z.infer<typeof evaluationSchema>, "report"> {
  readonly report: Evaluation["report"];
}

export function evaluationToWire(
  { startedAt, endedAt, report, latenciesMs: _, ...rest }: Evaluation,
  changes?: readonly Change[],
): WireEvaluation {
  const compared = changes === undefined ? {} : { changes: changes.map((change) => ({ ...change })) };
  return { ...rest, started_at: startedAt, ended_at: endedAt, report, ...compared };
}

/** Calls of a record as they travel; `null`: they are not recorded. */
export function callsToWire(calls: readonly RecordedCall[] | null): WireCalls {
  return {
    recorded: calls !== null,
    calls: (calls ?? []).map(({ model, prompt, sent, text, inputTokens, outputTokens, failure }) => ({
      ...{ model, prompt_sha256: prompt, prompt: sent === undefined ? null : { ...sent }, text },
      ...{ input_tokens: inputTokens, output_tokens: outputTokens, failure },
    })),
  };
}
