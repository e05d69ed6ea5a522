import type { CitedQuote } from "../checks/finding.ts";
import type { Answer, Evidence } from "../shared/types.ts";
import { literally } from "../text/normalise.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { splitSentences } from "../text/sentences.ts";
import { type Line, lineText } from "../writing/lines.ts";
import { answerLines } from "../writing/render.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import type { GoldenAnswerable } from "./golden.ts";
import type { GoldenItem, ScoreName } from "./golden-item.ts";
import { type GoldenPlaces, standsAt } from "./golden-places.ts";
import { mean } from "./metrics.ts";

type RetrievedPassage = GoldenItem["retrieved"][number];
/** Scores of an answer as stored in a report. */
export type AnswerScores = Pick<GoldenItem, "scores" | "unscored" | "faults" | "retrieved" | "cost_usd" | "report">;

type Labels = Pick<GoldenAnswerable, "id" | "answer" | "gold_quotes" | "key_values" | "keyphrases">;
/** A score, or the reason why it could not be computed. */
type ScoreOrReason = number | string;

/**
 * Scores an answer.
 * @param labels labels of an answerable question; `null` for an unanswerable one, of which only some scores can be computed
 */
export async function scoreAnswer(answer: Answer, labels: Labels | null, places: GoldenPlaces, judge: ClaimJudge): Promise<AnswerScores> {
  // The id of a passage contains its rank: `S3`.
  const rankOf = ({ passage: { sid } }: Evidence) => Number(sid.replace(/^\D+/, ""));
  const gold = labels === null ? new Map() : places.gold(labels.id);
  const retrieved = answer.evidence
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map(({ passage: { document, range, headingPath }, verdict, score }): RetrievedPassage => {
      const { path, start, end } = originalPlaceOf(document, range);
      const isGold = gold.size === 0 ? null : standsAt({ original: { path, start, end } }, gold);
      return { path, start, end, title: document.title, heading: headingPath.at(-1) ?? "", verdict, score, gold: isGold };
    });
  const cited = await judgeCitations(answer, judge);
  const results: Record<ScoreName, ScoreOrReason> = {
    keyphrase_coverage: labels === null ? UNANSWERABLE : coverage(answer, labels),
    answer_correctness: labels === null ? UNANSWERABLE : await correctness(answer, labels, judge),
    context_precision: contextPrecision(retrieved),
    context_recall: labels === null ? UNANSWERABLE : contextRecall(retrieved, places.quotes(labels.id)),
    ...cited.scores,
  };
  const entries = Object.entries(results);
  const { report } = answer;
  return {
    scores: Object.fromEntries(entries.map(([name, one]) => [name, typeof one === "number" ? one : null])),
    unscored: Object.fromEntries(entries.flatMap(([name, one]) => (typeof one === "string" ? [[name, one]] : []))),
    faults: cited.faults,
    retrieved,
    cost_usd: answer.costUsd,
    report: report === undefined ? null : { overall_pass: report.overallPass, metrics: { ...report.metrics } },
  };
}

/**
 * Returns the lines of an answer that are compared with key values. Leaves out several rows of one table if not all of
 * them contain a key value, because the user would have to choose the right row. Always includes the first line.
 */
export function countedLines(answer: Answer, values: readonly string[]): Line[] {
  const lines = answerLines(answer);
  const tableOf = ({ source }: Line) => (source?.row === undefined ? null : `${source.documentId} ${source.row.headerStart}`);
  const byTable = Map.groupBy(lines, tableOf);
  const isHeld = (line: Line) => values.some((value) => holdsToken(lineText(line), value));
  return lines.filter((line, i) => {
    const rows = byTable.get(tableOf(line)) ?? [];
    return i === 0 || values.length === 0 || tableOf(line) === null || rows.length === 1 || rows.every(isHeld);
  });
}

const UNANSWERABLE = "the question is unanswerable";
const NOT_SHOWN = "no answer was shown";

function coverage(answer: Answer, labels: Labels): ScoreOrReason {
  const phrases = labels.keyphrases.length > 0 ? labels.keyphrases : labels.key_values;
  if (phrases.length === 0) return "the question has no keyphrases";
  if (answer.status !== "ok") return NOT_SHOWN;
  const text = answerLines(answer).map(lineText).join("\n");
  return phrases.filter((phrase) => holdsToken(text, phrase)).length / phrases.length;
}

function contextPrecision(retrieved: readonly RetrievedPassage[]): ScoreOrReason {
  if (retrieved.length === 0) return "no passage was retrieved";
  if (retrieved.some(({ gold }) => gold === null)) return "no passage is labelled as gold";
  let hits = 0;
  let sum = 0;
  retrieved.forEach(({ gold }, i) => {
    if (gold === true) sum += ++hits / (i + 1);
  });
  return hits === 0 ? 0 : sum / hits;
}

function contextRecall(retrieved: readonly RetrievedPassage[], quotes: ReturnType<GoldenPlaces["quotes"]>): ScoreOrReason {
  if (quotes.length === 0) return "the question has no gold quote that occurs in the documents";
  return quotes.filter((places) => retrieved.some((one) => standsAt({ original: one }, places))).length / quotes.length;
}

/** Computes `answer_correctness` of Ragas without its similarity part: 2·TP ÷ (2·TP + FP + FN). The claims are sentences. */
async function correctness(answer: Answer, { answer: reference, gold_quotes }: Labels, judge: ClaimJudge): Promise<ScoreOrReason> {
  if (reference.trim() === "") return "the question has no reference answer";
  if (answer.status !== "ok") return NOT_SHOWN;
  const right = [reference, ...gold_quotes].map(plainQuote);
  const answerTexts = answerLines(answer).map(lineText);
  const given = [...answerTexts, ...answer.citations.map(({ quote }) => quote)].map(plainQuote);
  const supported = await Promise.all(answerTexts.map((text) => judge.supports(text, right, answer.question)));
  const expected = splitSentences(reference).map(({ start, end }) => reference.slice(start, end));
  const found = await Promise.all(expected.map((text) => judge.supports(text, given, answer.question)));
  const of = (verdicts: readonly (boolean | null)[], wanted: boolean) => verdicts.filter((one) => one === wanted).length;
  const [hits, extra, met, missed] = [of(supported, true), of(supported, false), of(found, true), of(found, false)];
  if (hits + extra === 0 || missed + met === 0) return "its sentences could not be scored";
  // A reference of a few words, such as "21 days", cannot support a whole sentence. Right answers would score 0 too.
  if (hits === 0 && met > 0 && gold_quotes.length === 0)
    return "the reference answer occurs only inside longer sentences of the answer, so it cannot be compared sentence by sentence. Add gold_quotes, or write the reference answer in whole sentences";
  return (2 * hits) / (2 * hits + extra + missed);
}

function plainQuote(text: string): CitedQuote {
  return { text, url: null, exact: true };
}

/** Scores citations (ALCE: Gao et al. 2023). Collects the faults of sentences that their citations do not support. */
async function judgeCitations(answer: Answer, judge: ClaimJudge) {
  const { question, status } = answer;
  const faults: GoldenItem["faults"] = [];
  const [recalls, precisions, faithful]: [number[], number[], number[]] = [[], [], []];
  for (const [sentence, { text, citations }] of (status === "ok" ? answer.sentences : []).entries()) {
    const cited = answer.citations.filter(({ n }) => citations.includes(n)).map(quoteOf);
    const others = answer.evidence.map(passageOf);
    const { supported, fault, reason } = await judge.judge(text, cited, others, question);
    if (fault !== null) faults.push({ sentence, fault, reason });
    if (supported === null) continue;
    recalls.push(Number(supported));
    faithful.push(Number(supported || fault === "misattributed"));
    for (const quote of cited) precisions.push(supported ? Number(await isNeeded(text, quote, cited, question, judge)) : 0);
  }
  const meanOr = (values: readonly number[], reason: string): ScoreOrReason => (status === "ok" ? (mean(values) ?? reason) : NOT_SHOWN);
  return {
    scores: {
      citation_precision: meanOr(precisions, "no sentence with a citation could be scored"),
      citation_recall: meanOr(recalls, "no sentence could be scored"),
      faithfulness: meanOr(faithful, "no sentence could be scored"),
    },
    faults,
  };
}

/**
 * Returns whether a sentence needs a citation: the citation alone supports the sentence, or the sentence's other citations
 * do not.
 */
async function isNeeded(text: string, quote: CitedQuote, cited: readonly CitedQuote[], question: string, judge: ClaimJudge) {
  if (cited.length === 1 || (await judge.supports(text, [quote], question)) === true) return true;
  const others = cited.filter((one) => one !== quote);
  return (await judge.supports(text, others, question)) !== true;
}

function quoteOf({ quote, url, title, headingPath, row }: Answer["citations"][number]): CitedQuote {
  const table = row === undefined ? [] : [row.header.text, ...(row.caption === undefined ? [] : [row.caption.text])];
  return { text: quote, url, exact: true, above: [title, ...headingPath, ...table], header: row?.header.text ?? null };
}

function passageOf({ passage: { text, document, headingPath } }: Evidence): CitedQuote {
  return { text, url: document.url, exact: true, above: [document.title, ...headingPath] };
}

/**
 * Returns whether the text contains the value as whole words. Ignores case, the amount of white space, and variants of
 * quotation marks and dashes. "$5" equals "$5.00". Digits within a longer number do not match.
 */
export function holdsToken(text: string, value: string): boolean {
  const wanted = plain(value);
  const escaped = literally(wanted);
  const before = /^\d/.test(wanted) ? String.raw`(?<![\p{L}\p{N}])(?<!\d[.,])` : String.raw`(?<![\p{L}\p{N}])`;
  const after = /\d$/.test(wanted) ? String.raw`(?![\p{L}\p{N}])(?![.,]\d)` : String.raw`(?![\p{L}\p{N}])`;
  return new RegExp(before + escaped + after, "u").test(plain(text));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐‑‒–—]/g, "-")
    .replaceAll(/(\$\d[\d,]*)\.00(?!\d)/g, "$1")
    .replaceAll(/\s+/g, " ");
}
