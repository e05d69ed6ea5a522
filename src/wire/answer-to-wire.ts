import { answerSpans } from "../reading/asked-values.ts";
import { httpUrl } from "../text/http-url.ts";
import type {
  Answer,
  AppliedFilters,
  Citation,
  CitedRow,
  Conflict,
  Evidence,
  FurtherSource,
  GradeReport,
  OriginalPlace,
  PricedCall,
  Refusal,
  Searched,
  SeeAlso,
  TextRange,
  Warning,
  WebEvidence,
} from "../types.ts";
import { renderAnswerHtml, renderAnswerPlain } from "../write/render.ts";
import type { WireAnswer, WireCitation, WireRefusal, WireWarning } from "./answer.ts";

export function citationToWire(citation: Citation): WireCitation {
  return {
    n: citation.n,
    url: httpUrl(citation.url),
    title: citation.title,
    quote: citation.quote,
    start: citation.start,
    end: citation.end,
    unit: "utf16",
    original: originalToWire(citation.original),
    document_id: citation.documentId,
    document_version: citation.documentVersion,
    as_of: citation.asOf,
    heading_path: [...citation.headingPath],
    page: citation.page ?? null,
    context: citation.context,
    quote_start: citation.quoteStart,
    ...(citation.alsoIn === undefined ? {} : { also_in: citation.alsoIn.map(furtherSourceToWire) }),
    ...(citation.row === undefined ? {} : { row: rowToWire(citation.row) }),
  };
}

export function originalToWire<Place extends Omit<OriginalPlace, "sha256" | "normaliser">>({ pages, cells, ...place }: Place) {
  return {
    ...place,
    ...(pages === undefined
      ? {}
      : {
          pages: pages.map(({ boxes, ...page }) => ({
            ...page,
            ...(boxes === undefined ? {} : { boxes: boxes.map((box) => ({ ...box })) }),
          })),
        }),
    ...(cells === undefined ? {} : { cells: cells.map((cell) => ({ ...cell })) }),
  };
}

function rowToWire({ cells, header, caption }: CitedRow): WireCitation["row"] {
  return {
    cells: cells.map((cell) => ({ ...cell })),
    header: header.text,
    header_start: header.start,
    header_end: header.end,
    ...(caption === undefined ? {} : { caption: caption.text }),
  };
}

function seeAlsoToWire({ title, heading, url, documentId }: SeeAlso): WireAnswer["see_also"] {
  return { title, heading, url: httpUrl(url), document_id: documentId };
}

function furtherSourceToWire({ documentId, documentVersion, title, url, asOf }: FurtherSource) {
  return { document_id: documentId, document_version: documentVersion, title, url: httpUrl(url), as_of: asOf };
}

function evidenceToWire({ passage, relevance, consistency, agreement, score, verdict, reason }: Evidence): WireAnswer["evidence"][number] {
  const { sid, document, headingPath, range, window, scores } = passage;
  const place = { document_id: document.id, document_version: document.version, heading_path: [...headingPath] };
  const judged = { rel: relevance, consistency, agreement, cross: scores.cross, final: score, verdict, reason };
  return { sid, url: httpUrl(document.url), title: document.title, ...place, ...toRange(range), window: toRange(window), ...judged };
}

function toRange({ start, end }: TextRange): TextRange {
  return { start, end };
}

export function conflictToWire(conflict: Conflict): WireAnswer["conflicts"][number] {
  const sides = conflict.sides.map(({ documentId, documentVersion, asOf, ...side }) => ({
    ...side,
    url: httpUrl(side.url),
    document_id: documentId,
    document_version: documentVersion,
    as_of: asOf,
  }));
  return { ...conflict, sides, resolved_by: conflict.resolvedBy };
}

function webToWire({ pages, ...said }: WebEvidence): NonNullable<WireAnswer["web"]>[number] {
  return { ...said, pages: pages.map(({ retrievedAt, ...page }) => ({ ...page, retrieved_at: retrievedAt })) };
}

function refusalToWire(refusal: Refusal): WireRefusal {
  return {
    reason: refusal.reason,
    message: refusal.message,
    note: refusal.note,
    searched: searchedToWire(refusal.searched),
    nearest: refusal.nearest.map(({ documentId, documentVersion, original, missing, missingValues, ...miss }) => ({
      ...miss,
      url: httpUrl(miss.url),
      document_id: documentId,
      document_version: documentVersion,
      original: originalToWire(original),
      missing: [...missing],
      missing_values: [...missingValues],
    })),
    contacts: refusal.contacts.map((contact) => ({ ...contact })),
  };
}

function searchedToWire({ asOf, unreadable, unreadableCount, ...searched }: Searched): WireRefusal["searched"] {
  return { ...searched, as_of: { ...asOf }, unreadable: [...unreadable], unreadable_count: unreadableCount };
}

function filtersToWire({ document, chapter, section, pages, searchedIn }: AppliedFilters): NonNullable<WireAnswer["filters"]> {
  const page = pages === null ? null : pages.first === pages.last ? String(pages.first) : `${pages.first}-${pages.last}`;
  return { document, chapter, section, page, searched_in: searchedIn };
}

function callToWire({ stage, model, inputTokens, outputTokens, costUsd }: PricedCall): WireAnswer["calls"][number] {
  return { stage, model, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

function reportToWire({ overallPass, metrics }: GradeReport): NonNullable<WireAnswer["report"]> {
  return { overall_pass: overallPass, metrics: { ...metrics } };
}

/** What answers is marked; nothing where sources disagree, for either may be right. */
function spansOf(answer: Answer): { sentence: number; start: number; end: number }[] {
  if (answer.refusal !== null || answer.conflicts.length > 0) return [];
  const marked = answer.model === "extractive" ? firstRun(answer) : answer.sentences;
  return answerSpans(
    answer.question,
    marked.map(({ text }) => text),
  ).map((span) => ({ ...span }));
}

/** Characters between two sentences of which one goes on right behind the other: white space and a list's mark. */
const NEAR = 8;

/** Of quotes the best one with what stands right before and behind it: a value in a further quote is of something else. */
function firstRun({ sentences, citations }: Answer): Answer["sentences"] {
  const placeOf = (sentence: Answer["sentences"][number] | undefined) => citations.find(({ n }) => n === sentence?.citations[0]);
  const end = sentences.findIndex((sentence, i) => {
    const [before, own] = [placeOf(sentences[i - 1]), placeOf(sentence)];
    if (i === 0 || before === undefined || own === undefined) return false;
    return own.documentId !== before.documentId || own.start < before.start || own.start - before.end > NEAR;
  });
  return end < 0 ? sentences : sentences.slice(0, end);
}

/** What is another each time, even of an answer that is served again. */
export function ownToWire({ id, latencyMs, timings, sessionId }: Answer) {
  return { id, latency_ms: latencyMs, timings_ms: { ...timings }, session_id: sessionId } satisfies Partial<WireAnswer>;
}

/** An answer as it travels. */
export function answerToWire(answer: Answer): WireAnswer {
  return {
    ...ownToWire(answer),
    status: answer.status,
    question: answer.question,
    domain: answer.domain,
    profile: answer.profile,
    ...(answer.filters === undefined ? {} : { filters: filtersToWire(answer.filters) }),
    agg_conf: answer.confidence,
    agg_conf_calibrated: answer.confidenceCalibrated,
    answer_plain: renderAnswerPlain(answer),
    answer_html: renderAnswerHtml(answer),
    sentences: answer.sentences.map(({ text, citations }) => ({ text, citations: [...citations] })),
    answer_spans: spansOf(answer),
    citations: answer.citations.map(citationToWire),
    see_also: answer.seeAlso === undefined || answer.seeAlso === null ? null : seeAlsoToWire(answer.seeAlso),
    claims: answer.claims.map((claim) => ({ ...claim, citations: [...claim.citations] })),
    evidence: answer.evidence.map(evidenceToWire),
    conflicts: answer.conflicts.map(conflictToWire),
    ...(answer.web === undefined ? {} : { web: answer.web.map(webToWire) }),
    checks: answer.checks.map(({ name, verdict, score, reason, sentence }) => ({ name, verdict, score, reason, sentence })),
    warnings: answer.warnings.map(warningToWire),
    refusal: answer.refusal === null ? null : refusalToWire(answer.refusal),
    cache_mode: answer.cacheMode,
    ...(answer.cached === undefined ? {} : { cached: { question: answer.cached.question, stored_at: answer.cached.storedAt } }),
    token_usage: { ...answer.tokenUsage },
    cost_usd: answer.costUsd,
    calls: answer.calls.map(callToWire),
    ...(answer.report === undefined ? {} : { report: reportToWire(answer.report) }),
    model: answer.model,
    ...(answer.proof === undefined ? {} : { proof: answer.proof }),
  };
}

export function warningToWire({ code, message, askInstead, sentence }: Warning): WireWarning {
  return {
    ...{ code, message },
    ...(askInstead === undefined ? {} : { ask_instead: askInstead }),
    ...(sentence === undefined ? {} : { sentence }),
  };
}
