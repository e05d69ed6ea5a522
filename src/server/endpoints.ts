import { z } from "zod";
import type { Role } from "../store/keys.ts";
import { chatRequestSchema, chatResponseSchema, modelListSchema, modelSchema } from "../wire/chat.ts";
import { citationStatesSchema } from "../wire/citation-states.ts";
import { experimentListSchema, experimentSchema } from "../wire/experiments.ts";
import {
  callsSchema,
  evaluationListSchema,
  evaluationQuerySchema,
  evaluationRequestSchema,
  evaluationSchema,
  graphQuerySchema,
  graphSchema,
  versionListSchema,
} from "../wire/exploring.ts";
import { askRequestSchema, askResponseSchema, refreshRequestSchema, refreshResponseSchema } from "../wire/index.ts";
import {
  correctionSchema,
  feedbackRequestSchema,
  forgetRequestSchema,
  historyQuerySchema,
  queueQuerySchema,
  reviewActSchema,
  sessionQuerySchema,
  statisticsQuerySchema,
} from "../wire/memory.ts";
import {
  callerSchema,
  documentSchema,
  domainsSchema,
  forgottenSchema,
  healthSchema,
  historySchema,
  queueSchema,
  reportSchema,
  reportsResponseSchema,
  reviewSchema,
  sessionSchema,
  statisticsSchema,
} from "../wire/responses.ts";
import { documentQuerySchema } from "../wire/rooms.ts";
import {
  checkRequestSchema,
  checkResponseSchema,
  fileListSchema,
  fileSchema,
  keyListSchema,
  listQuerySchema,
  newKeyRequestSchema,
  newKeyResponseSchema,
  newSessionSchema,
  pageQuery,
  queryRequestSchema,
  queryResponseSchema,
  reportsQuerySchema,
  scopeQuerySchema,
  searchRequestSchema,
  searchResponseSchema,
  uploadQuerySchema,
  uploadResponseSchema,
} from "../wire/service.ts";

/** One route, as it is mounted, guarded and described: there is no other list of them. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** As OpenAPI writes it: `/v1/answers/{id}`. */
  readonly path: `/${string}`;
  /** What it does, in a line. */
  readonly what: string;
  /** Role of those who may; `caller`: whoever is let in at all; `anyone`: without a key, too. */
  readonly opens: Role | "caller" | "anyone";
  readonly query?: z.ZodType;
  readonly body?: { readonly schema: z.ZodType; readonly optional?: true } | "files";
  readonly gives: { readonly status: 200 | 201 | 202 | 204; readonly schema: z.ZodType | null; readonly events?: true };
  /** Of those who ask: does not count against how often they may. */
  readonly uncounted?: true;
  /** Takes `Idempotency-Key`: sent twice, it is done once. */
  readonly idempotent?: true;
  /** Has an `ETag`: what has not changed is `304`. */
  readonly etag?: true;
}

/** What another specification describes: JSON-RPC of MCP, JSON Schema, OpenAPI. */
const open = z.looseObject({});

export const ENDPOINTS = {
  ask: {
    ...{ method: "POST", path: "/v1/ask", opens: "ask", idempotent: true },
    what: "Answers a question; with `accept: text/event-stream` as Server-Sent Events.",
    body: { schema: askRequestSchema },
    gives: { status: 200, schema: askResponseSchema, events: true },
  },
  check: {
    ...{ method: "POST", path: "/v1/check", opens: "ask", idempotent: true },
    what: "Checks an answer that somebody else wrote, sentence by sentence, against texts or documents.",
    body: { schema: checkRequestSchema },
    gives: { status: 200, schema: checkResponseSchema },
  },
  search: {
    ...{ method: "POST", path: "/v1/search", opens: "ask" },
    what: "Passages for a question, best first.",
    body: { schema: searchRequestSchema },
    gives: { status: 200, schema: searchResponseSchema },
  },
  answer: {
    ...{ method: "GET", path: "/v1/answers/{id}", opens: "ask", uncounted: true },
    what: "An answer that was given, or what a reviewer put in its place; 404 for one of another scope, or that rests on a document which is gone or not open to the key, like one that never was. One that a reviewer flagged begins with the warning `flagged`.",
    gives: { status: 200, schema: askResponseSchema },
  },
  proof: {
    ...{ method: "GET", path: "/v1/answers/{id}/proof", opens: "ask", uncounted: true },
    what: "The proof of an answer: `prove verify` checks it offline. 404 where a document on which it rests is gone or not open to the key.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: open },
  },
  calls: {
    ...{ method: "GET", path: "/v1/answers/{id}/calls", opens: "review" },
    what: "What models were sent for an answer, and what they said. To administrators alone of a question that followed others, and where a document is gone or not open to the key.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: callsSchema },
  },
  citations: {
    ...{ method: "GET", path: "/v1/answers/{id}/citations", opens: "ask", uncounted: true },
    what: "What became of an answer's quotes in today's documents: same, moved, changed, gone, and where they stand now.",
    gives: { status: 200, schema: citationStatesSchema },
  },
  newSession: {
    ...{ method: "POST", path: "/v1/sessions", opens: "ask" },
    what: "A fresh session id, that nobody can guess; the session begins with its first question.",
    gives: { status: 201, schema: newSessionSchema },
  },
  session: {
    ...{ method: "GET", path: "/v1/sessions/{id}", opens: "ask" },
    what: "The messages of a session with their citations. A session of another scope or user is 404, like one that never was. What rests on a document that the asker may not see any more is withheld (`content: null`).",
    query: sessionQuerySchema,
    gives: { status: 200, schema: sessionSchema },
  },
  endSession: {
    ...{ method: "DELETE", path: "/v1/sessions/{id}", opens: "ask" },
    what: "Ends a session.",
    query: sessionQuerySchema,
    gives: { status: 204, schema: null },
  },
  feedback: {
    ...{ method: "POST", path: "/v1/feedback", opens: "ask", idempotent: true },
    what: "A reader's verdict on an answer: one an answer, the last one; 404 where `id`, session or scope do not fit.",
    body: { schema: feedbackRequestSchema },
    gives: { status: 200, schema: z.object({ status: z.literal("kept"), id: z.string(), verdict: z.enum(["up", "down"]) }) },
  },
  whoami: {
    ...{ method: "GET", path: "/v1/whoami", opens: "caller" },
    what: "Who the server takes the caller for: id of the key and roles.",
    gives: { status: 200, schema: callerSchema },
  },
  domains: {
    ...{ method: "GET", path: "/v1/domains", opens: "ask", uncounted: true },
    what: "Bodies of knowledge that the caller may ask, with their tenants, and the profiles.",
    gives: { status: 200, schema: domainsSchema },
  },
  documents: {
    ...{ method: "GET", path: "/v1/documents", opens: "ask", uncounted: true, etag: true },
    what: "Files with their documents, by path; those on their way too. A file of which no document is open to the key is not there.",
    query: listQuerySchema,
    gives: { status: 200, schema: fileListSchema },
  },
  document: {
    ...{ method: "GET", path: "/v1/documents/{id}", opens: "ask", uncounted: true },
    what: "A whole document by its id, as citations name it: text, blocks, outline; with `start` and `end` where these stand on its pages.",
    query: documentQuerySchema,
    gives: { status: 200, schema: documentSchema },
  },
  original: {
    ...{ method: "GET", path: "/v1/documents/{id}/original", opens: "ask", uncounted: true },
    what: "The file that a document was read from, byte for byte; 409 where another one lies in its place.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: null },
  },
  versions: {
    ...{ method: "GET", path: "/v1/documents/{id}/versions", opens: "ask", uncounted: true },
    what: "Versions of a document, newest first, and whether their text is kept.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: versionListSchema },
  },
  documentStatus: {
    ...{ method: "GET", path: "/v1/documents/{id}/status", opens: "ask", uncounted: true, etag: true },
    what: "Where a file stands, by the file's id: queued, being read, in, or failed with the reason.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: fileSchema },
  },
  upload: {
    ...{ method: "POST", path: "/v1/documents", opens: "ingest", idempotent: true },
    what: "Takes files (`multipart/form-data`, each as `file`), all or none, and begins to read them; the same name again replaces the file. 409 where a name is the folder of other files, or lies below a file.",
    query: uploadQuerySchema,
    body: "files",
    gives: { status: 202, schema: uploadResponseSchema },
  },
  deleteDocument: {
    ...{ method: "DELETE", path: "/v1/documents/{id}", opens: "ingest" },
    what: "Takes an uploaded file out by its id, with everything that rests on it.",
    query: scopeQuerySchema,
    gives: { status: 204, schema: null },
  },
  queue: {
    ...{ method: "GET", path: "/v1/review", opens: "review" },
    what: "Questions that wait for review, those that need it most first.",
    query: queueQuerySchema.extend(pageQuery),
    gives: { status: 200, schema: queueSchema },
  },
  history: {
    ...{ method: "GET", path: "/v1/review/history", opens: "review" },
    what: "The audit log, newest first: what was done to answers that the key may see, to an administrator everything; and whether the chain of the whole log is intact.",
    query: historyQuerySchema.extend({ cursor: pageQuery.cursor }),
    gives: { status: 200, schema: historySchema },
  },
  review: {
    ...{ method: "GET", path: "/v1/review/{id}", opens: "review" },
    what: "One answer with its review, feedback, correction and history; answer and correction are withheld that rest on a document which is gone or not open to the key.",
    gives: { status: 200, schema: reviewSchema },
  },
  approve: {
    ...{ method: "POST", path: "/v1/review/{id}/approve", opens: "review", idempotent: true },
    what: "The answer is right. 409 where a cited document has changed.",
    body: { schema: reviewActSchema },
    gives: { status: 200, schema: reviewSchema },
  },
  flag: {
    ...{ method: "POST", path: "/v1/review/{id}/flag", opens: "review", idempotent: true },
    what: "The answer is wrong or doubtful: it is not served again.",
    body: { schema: reviewActSchema },
    gives: { status: 200, schema: reviewSchema },
  },
  correct: {
    ...{ method: "POST", path: "/v1/review/{id}/correct", opens: "review", idempotent: true },
    what: "Another answer in its place, served first; 422 with every sentence that is not bound to a source, and why.",
    body: { schema: correctionSchema },
    gives: { status: 200, schema: z.object({ answer: askResponseSchema }) },
  },
  reports: {
    ...{ method: "GET", path: "/v1/reports", opens: "review" },
    what: "Diagnostic reports of questions that were refused, answered with low confidence or warned about: by topic, and the newest.",
    query: reportsQuerySchema,
    gives: { status: 200, schema: reportsResponseSchema },
  },
  report: {
    ...{ method: "GET", path: "/v1/reports/{id}", opens: "review" },
    what: "One report, by its id or that of its answer, without what it took from documents that are gone or not open to the key.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: reportSchema },
  },
  experiments: {
    ...{ method: "GET", path: "/v1/experiments", opens: "admin" },
    what: "Trials of settings that are configured, each with its report.",
    gives: { status: 200, schema: experimentListSchema },
  },
  experiment: {
    ...{ method: "GET", path: "/v1/experiments/{name}", opens: "admin" },
    what: "One of them: its variants with intervals, its guardrails and a plain verdict.",
    gives: { status: 200, schema: experimentSchema },
  },
  refresh: {
    ...{ method: "POST", path: "/v1/admin/refresh", opens: "ingest" },
    what: "Reads every source of a domain again as it was ingested last, and rebuilds its index.",
    body: { schema: refreshRequestSchema, optional: true },
    gives: { status: 200, schema: refreshResponseSchema },
  },
  statistics: {
    ...{ method: "GET", path: "/v1/admin/stats", opens: "admin" },
    what: "Hit rates, tokens and money spent and saved, topics, confidence, refusals, latency.",
    query: statisticsQuerySchema,
    gives: { status: 200, schema: statisticsSchema },
  },
  madeStatistics: {
    ...{ method: "GET", path: "/v1/admin/stats/made", opens: "admin" },
    what: "How the newest answers were made: percentiles by stage, grades by metric and day, calls by model, outcomes of checks.",
    query: statisticsQuerySchema,
    gives: { status: 200, schema: open },
  },
  graph: {
    ...{ method: "GET", path: "/v1/graph", opens: "review" },
    what: "Topics, entities, sources and stored questions, and what joins them: the most joined that fit the filters.",
    query: graphQuerySchema,
    gives: { status: 200, schema: graphSchema },
  },
  evaluations: {
    ...{ method: "GET", path: "/v1/evaluations", opens: "admin" },
    what: "Golden runs, newest first, with their figures.",
    query: z.strictObject(pageQuery),
    gives: { status: 200, schema: evaluationListSchema },
  },
  startEvaluation: {
    ...{ method: "POST", path: "/v1/evaluations", opens: "admin", idempotent: true },
    what: "Begins a golden run over the set that a domain pack brings, or over `questions` of the documents that everybody may read here; 409 while another one runs.",
    body: { schema: evaluationRequestSchema },
    gives: { status: 202, schema: evaluationSchema },
  },
  evaluation: {
    ...{ method: "GET", path: "/v1/evaluations/{id}", opens: "admin" },
    what: "One golden run with every judged question, or how far it is; with `against` how it differs from another one.",
    query: evaluationQuerySchema,
    gives: { status: 200, schema: evaluationSchema },
  },
  evaluationPage: {
    ...{ method: "GET", path: "/v1/evaluations/{id}/page", opens: "admin" },
    what: "One golden run as one HTML page that stands alone, to be kept.",
    gives: { status: 200, schema: null },
  },
  deleteEvaluation: {
    ...{ method: "DELETE", path: "/v1/evaluations/{id}", opens: "admin" },
    what: "Stops a golden run, or deletes what is kept of it.",
    gives: { status: 204, schema: null },
  },
  forget: {
    ...{ method: "DELETE", path: "/v1/admin/memory", opens: "admin" },
    what: "Forgets what was asked.",
    body: { schema: forgetRequestSchema },
    gives: { status: 200, schema: forgottenSchema },
  },
  keys: {
    ...{ method: "GET", path: "/v1/admin/keys", opens: "admin" },
    what: "All keys, newest first, also those that open nothing any more; never the keys themselves.",
    query: z.strictObject(pageQuery),
    gives: { status: 200, schema: keyListSchema },
  },
  newKey: {
    ...{ method: "POST", path: "/v1/admin/keys", opens: "admin" },
    what: "Makes a key; it is in this response and nowhere else.",
    body: { schema: newKeyRequestSchema },
    gives: { status: 201, schema: newKeyResponseSchema },
  },
  revokeKey: {
    ...{ method: "DELETE", path: "/v1/admin/keys/{id}", opens: "admin" },
    what: "Ends a key, from the next request on.",
    query: z.strictObject({ by: z.string().min(1).max(100).default("http") }),
    gives: { status: 204, schema: null },
  },
  chat: {
    ...{ method: "POST", path: "/v1/chat/completions", opens: "ask" },
    what: "OpenAI's chat completions: a domain is a model, the last message of the user the question; with `stream`, chunks.",
    body: { schema: chatRequestSchema },
    gives: { status: 200, schema: chatResponseSchema, events: true },
  },
  models: {
    ...{ method: "GET", path: "/v1/models", opens: "ask", uncounted: true },
    what: "Domains that the caller may ask, as OpenAI's API lists models.",
    gives: { status: 200, schema: modelListSchema },
  },
  model: {
    ...{ method: "GET", path: "/v1/models/{name}", opens: "ask", uncounted: true },
    what: "One of them.",
    gives: { status: 200, schema: modelSchema },
  },
  mcp: {
    ...{ method: "POST", path: "/mcp", opens: "ask", uncounted: true },
    what: "The Model Context Protocol: tools `ask`, `search`, `check_answer`, documents as resources. Only calls of tools count.",
    body: { schema: open },
    gives: { status: 200, schema: open, events: true },
  },
  query: {
    ...{ method: "POST", path: "/query", opens: "ask" },
    what: "A question in the shape of the `validator` source: answer, `overall_pass` and each metric, by the profile of that name.",
    body: { schema: queryRequestSchema },
    gives: { status: 200, schema: queryResponseSchema },
  },
  refreshCache: {
    ...{ method: "POST", path: "/refresh-cache", opens: "ingest" },
    what: "The same as `/v1/admin/refresh`, by the name that the `validator` source gives it.",
    body: { schema: refreshRequestSchema, optional: true },
    gives: { status: 200, schema: refreshResponseSchema },
  },
  schema: {
    ...{ method: "GET", path: "/v1/schema", opens: "anyone", etag: true },
    what: "JSON Schema of question, answer, error and events.",
    gives: { status: 200, schema: open },
  },
  openapi: {
    ...{ method: "GET", path: "/openapi.json", opens: "anyone", etag: true },
    what: "This description, as OpenAPI 3.1.",
    gives: { status: 200, schema: open },
  },
  health: {
    ...{ method: "GET", path: "/healthz", opens: "anyone" },
    what: "What is loaded; nothing that stands in documents.",
    gives: { status: 200, schema: healthSchema },
  },
  metrics: {
    ...{ method: "GET", path: "/metrics", opens: "metrics" },
    what: "Figures for Prometheus, in its text format.",
    gives: { status: 200, schema: null },
  },
  ready: {
    ...{ method: "GET", path: "/readyz", opens: "anyone" },
    what: "200 when there are documents to answer from, 503 before.",
    gives: { status: 200, schema: z.object({ status: z.literal("ready") }) },
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
