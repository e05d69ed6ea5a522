import { z } from "zod";
import { answerSpans } from "../language/answer-spans.ts";
import type { AnswerEvent } from "../shared/events.ts";
import { citationSchema, warningSchema } from "../shared/types/answer.ts";
import { conflictSchema } from "../shared/types/evidence.ts";
import type { Answer, AppliedFilters, Citation, Conflict, Evidence, TextRange } from "../shared/types.ts";
import type { Line } from "../writing/lines.ts";
import { answerLines, renderAnswerHtml, renderAnswerPlain } from "../writing/render.ts";
import { askResponseSchema, displaySchema, type WireAnswer, type WireCitation } from "./answer.ts";
import { toWire } from "./to-wire.ts";

export function citationToWire(citation: Citation): WireCitation {
  return toWire(citationSchema, travelling(citation));
}

export function conflictToWire(conflict: Conflict): WireAnswer["conflicts"][number] {
  return toWire(conflictSchema, conflict);
}

/** Converts an answer to its wire format. */
export function answerToWire(answer: Answer): WireAnswer {
  const { filters, confidence, confidenceCalibrated, seeAlso = null, citations, evidence } = answer;
  const wire = toWire(askResponseSchema, {
    ...answer,
    sentences: answerLines(answer).map(({ label, askedCell, ...line }) => ({
      ...line,
      label: label ?? undefined,
      askedCell: askedCell ?? undefined,
    })),
    filters: filters && { ...filters, page: pagesOf(filters) },
    aggConf: confidence,
    aggConfCalibrated: confidenceCalibrated,
    answerPlain: renderAnswerPlain(answer),
    answerHtml: renderAnswerHtml(answer),
    answerSpans: spansOf(answer),
    citations: citations.map(travelling),
    seeAlso,
    evidence: evidence.map(judged),
    timingsMs: answer.timings,
  });
  return { ...ownToWire(answer), ...wire };
}

/** Returns the fields whose values differ for every request, even if the answer comes from the cache. */
function ownToWire({ id, latencyMs, timings, sessionId }: Answer) {
  return { id, latency_ms: latencyMs, timings_ms: timings, session_id: sessionId } satisfies Partial<WireAnswer>;
}

function travelling({ row, ...citation }: Citation) {
  const { header, caption } = row ?? {};
  const cells = row && header && { cells: row.cells, header: header.text, headerStart: header.start, headerEnd: header.end };
  return { ...citation, unit: "utf16" as const, page: citation.page ?? null, row: cells && { ...cells, caption: caption?.text } };
}

function judged({ passage, relevance, score, ...evidence }: Evidence) {
  const { document, range, scores } = passage;
  const place = { ...document, ...passage, ...range, documentId: document.id, documentVersion: document.version };
  return { ...place, ...evidence, rel: relevance, cross: scores.cross, final: score };
}

function pagesOf({ pages }: AppliedFilters): string | null {
  if (pages === null) return null;
  return pages.first === pages.last ? String(pages.first) : `${pages.first}-${pages.last}`;
}

/**
 * Returns the spans that answer the question. If sources conflict, there are none, because either source may be right. In a
 * table row, the span is the cell that answers.
 */
function spansOf(answer: Answer) {
  if (answer.refusal !== null || answer.conflicts.length > 0) return [];
  const lines = answerLines(answer);
  const isRow = (i: number) => lines[i]?.source?.row !== undefined;
  const marked = answer.model === "extractive" ? firstRun(answer) : answer.sentences;
  const said = isRow(0) ? [] : marked.map(({ text }, i) => (isRow(i) ? "" : text));
  return [...answerSpans(answer.question, said), ...lines.flatMap((line, i) => askedSpan(line).map((span) => ({ sentence: i, ...span })))];
}

/** Returns the range of the cell that answers in the text of its row; empty if no such cell is known. */
function askedSpan({ text, source, askedCell }: Line): TextRange[] {
  if (askedCell === null) return [];
  let end = -1;
  const ranges = text.split("|").flatMap((cell) => {
    const start = end + 1 + (cell.length - cell.trimStart().length);
    end += cell.length + 1;
    return cell.trim() === "" ? [] : [{ start, end: start + cell.trim().length }];
  });
  return ranges.length === source?.row?.cells.length ? ranges.slice(askedCell, askedCell + 1) : [];
}

/** Maximum characters between two sentences that count as adjacent: white space and a list bullet. */
const NEAR = 8;

/**
 * Returns the first sentence and those that directly follow it in the same document. Values in other quotes get no spans,
 * because they may be about something else.
 */
function firstRun({ sentences, citations }: Answer): Answer["sentences"] {
  const placeOf = (sentence: Answer["sentences"][number] | undefined) => citations.find(({ n }) => n === sentence?.citations[0]);
  const end = sentences.findIndex((sentence, i) => {
    const [before, own] = [placeOf(sentences[i - 1]), placeOf(sentence)];
    if (i === 0 || before === undefined || own === undefined) return false;
    return own.documentId !== before.documentId || own.start < before.start || own.start - before.end > NEAR;
  });
  return end < 0 ? sentences : sentences.slice(0, end);
}

interface Written {
  /** The fields that stay the same for every cache hit. */
  readonly lasting: Readonly<Partial<Answer>>;
  readonly json: string;
}

/** Returns a function that converts answers to JSON. If the same cached answer is sent again, most of its JSON is reused. */
export function createAnswerWriter(): (answer: Answer) => string {
  const known = new WeakMap<Answer["citations"], Written>();
  return (answer) => {
    if (answer.cacheMode === "miss" || answer.proof !== undefined) return JSON.stringify(answerToWire(answer));
    const { id: _id, sessionId: _session, latencyMs: _ms, timings: _timings, ...lasting } = answer;
    const before = known.get(answer.citations);
    const json = before !== undefined && isSame(before.lasting, lasting) ? before.json : lastingJson(answer);
    if (json !== before?.json) known.set(answer.citations, { lasting, json });
    return `${JSON.stringify(ownToWire(answer)).slice(0, -1)},${json.slice(1)}`;
  };
}

function lastingJson(answer: Answer): string {
  const own = ownToWire(answer);
  return JSON.stringify(Object.fromEntries(Object.entries(answerToWire(answer)).filter(([name]) => !(name in own))));
}

function isSame(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && isEqual(value, right.get(name)));
}

/** Returns whether two field values are equal. Objects are small, so different ones are compared as JSON. */
function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/** Body of every failed request: a problem (RFC 9457). Its field `error` is also the data of the `error` event. */
export const errorResponseSchema = z.object({
  type: z.string().describe("`urn:sourcebound:problem:CODE`"),
  title: z.string().describe("Readable form of the code."),
  status: z.int(),
  detail: z.string().describe("What failed and what to do."),
  request_id: z.string().describe("Also in the header `X-Request-Id` and in the server log."),
  error: z.object({
    code: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    warnings: z.array(warningSchema).optional().describe("Hotlines, to be shown before the error; absent: none."),
  }),
});

export type WireError = z.infer<typeof errorResponseSchema>;

/** Data of each Server-Sent Event: `event: NAME`, `data: JSON`. */
export const eventSchemas = {
  stage: z.object({
    stage: z.string(),
    phase: z.enum(["start", "end"]),
    ms: z.number().optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
  notice: z.object({ stage: z.string(), code: z.string(), message: z.string() }),
  warning: warningSchema,
  sentence: z.object({ index: z.int(), text: z.string(), citations: z.array(citationSchema), ...displaySchema }),
  answer: askResponseSchema,
  error: errorResponseSchema.shape.error,
};
type EventSchemas = typeof eventSchemas;
export type WireEvent = {
  readonly [Name in keyof EventSchemas]: { readonly event: Name; readonly data: z.infer<EventSchemas[Name]> };
}[keyof EventSchemas];

/** Converts an event to its wire format. */
export function eventToWire(event: AnswerEvent): WireEvent {
  switch (event.type) {
    case "notice":
      return { event: "notice", data: { stage: event.stage, code: event.code, message: event.message } };
    case "warning":
      return { event: "warning", data: toWire(warningSchema, event.warning) };
    case "sentence":
      return sentenceToWire(event);
    case "answer":
      return { event: "answer", data: answerToWire(event.answer) };
    default: {
      const at = event.type.lastIndexOf("-");
      const data = { stage: event.type.slice(0, at), phase: event.type.endsWith("-start") ? ("start" as const) : ("end" as const) };
      return { event: "stage", data: "ms" in event ? { ...data, ms: event.ms, facts: { ...event.facts } } : data };
    }
  }
}

/** Converts a sentence to its wire format. @param line its label and the cell that answers; absent: neither */
export function sentenceToWire(
  { index, sentence: { text }, citations }: AnswerEvent & { readonly type: "sentence" },
  line?: Pick<Line, "label" | "askedCell">,
): WireEvent {
  const shown = { label: line?.label ?? undefined, asked_cell: line?.askedCell ?? undefined };
  return { event: "sentence", data: { index, text, citations: citations.map(citationToWire), ...shown } };
}
