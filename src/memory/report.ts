import { PERSONAL_KINDS, redactPersonalData } from "../guard/pii.ts";
import {
  type AskedWord,
  type AskedWordsIndex,
  askedValues,
  askedWords,
  heldValues,
  holdsWord,
  readQuestion,
  VALUE_KINDS,
} from "../language/question.ts";
import { codesIn, keyOf, valuesIn } from "../language/values.ts";
import type { Answer, CheckResult, Conflict, Evidence, Question } from "../shared/types.ts";
import type {
  CheckIssue,
  DiagnosticReport,
  MissingTerm,
  QueryAnalysis,
  ReportCause,
  ReportedPassage,
  ValueKind,
} from "../store/diagnostic-report.ts";
import { words } from "../text/tokens.ts";
import type { ReadTopics } from "./classify.ts";
import { recommend } from "./recommend.ts";

/** Maximum number of terms of each kind (words, codes, values) in a report. Nobody would act on more. */
export const MAX_TERMS = 32;
/** Maximum number of passages in a report. No profile uses more. */
const MAX_PASSAGES = 12;
/** Maximum number of conflicts in a report. Also the maximum number of unreadable files that it lists by name. */
const MAX_NAMED = 5;
/** Maximum number of reasons per check, and maximum length of a reason in characters. */
const MAX_REASONS = 3;
const REASON_CHARACTERS = 200;
/** Name of the check for personal data. */
const PII_CHECK = "pii";
/** Maximum number of characters of a question that are analysed, many times the default limit for questions. */
const MAX_READ = 10_000;

/** Inputs of a report other than question and answer. */
export interface ReportParts {
  /** Tokeniser of the index. A text that contains a synonym of a question's word counts as containing that word. */
  readonly words: AskedWordsIndex;
  /** Checks whether a document that the user may read contains the token. */
  readonly holds: (token: string) => boolean;
  readonly readTopics: ReadTopics;
  /** Checks whether a lower-case word is very common. Such words are listed last. */
  readonly isCommon: (word: string) => boolean;
  /** The domain's topics with their names and keywords. */
  readonly topics: readonly { readonly slug: string; readonly name: string; readonly keywords: readonly string[] }[];
  readonly repairs: QueryAnalysis["repaired"];
  /** Synonyms that were also searched for. */
  readonly expanded: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** True if the domain pack declares precedence rules. */
  readonly declaresPrecedence: boolean;
  readonly documents: number;
  readonly unreadable: readonly string[];
  readonly threshold: ReportThreshold;
}

/** Thresholds below which a report is written about an answered question. `null`: the profile does not use this threshold. */
export interface ReportThreshold {
  /** Score of the answer minus the threshold for answering; `null` if unknown. */
  readonly decisionMargin: number | null;
  /** A report is written if `decisionMargin` is below this. */
  readonly margin: number | null;
  /** A report is written if the confidence of the answer is below this. */
  readonly below: number | null;
}

/**
 * Returns the reasons for a report about a new answer; an empty list if there are none. Also empty for a cached answer,
 * whose report was written with the answer.
 */
export function reportCauses(
  { refusal, confidence, checks, cacheMode }: Pick<Answer, "refusal" | "confidence" | "checks" | "cacheMode">,
  { decisionMargin, margin, below }: ReportThreshold,
): ReportCause[] {
  if (cacheMode !== "miss") return [];
  const low =
    (confidence !== null && below !== null && confidence < below) ||
    (decisionMargin !== null && margin !== null && decisionMargin < margin);
  return [
    ...(refusal !== null ? (["refused"] as const) : low ? (["low_confidence"] as const) : []),
    ...(checks.some(isIssue) ? (["checks"] as const) : []),
  ];
}

function isIssue({ verdict, leftOut }: CheckResult): boolean {
  return verdict === "warn" || (verdict === "fail" && leftOut === true);
}

/**
 * Builds the diagnostic report of a question. Uses no model and has no side effects. Takes time linear in the length of
 * question and passages.
 */
export function diagnose(question: Question, answer: Answer, causes: readonly ReportCause[], parts: ReportParts): DiagnosticReport {
  const hostile = question.injectionSignals.length > 0;
  // A message that triggered a hotline shows no gap in the documents.
  const urgent = answer.warnings.some(({ code }) => code === "hotline");
  const text = withoutPersonalData(question.resolved);
  const repairs = parts.repairs.filter(({ written }) => words(text).some((word) => word.text === written));
  const read = hostile ? "" : replaceWords(text, repairs);
  const asked = askedTerms(read, parts.words);
  const query: QueryAnalysis = {
    type: readQuestion(text).type,
    words: words(text).length,
    terms: asked.words.map(({ word }) => word),
    codes: asked.codes.map(shownCode),
    values: asked.values.map((value) => value.text),
    expects: asked.kinds.map(kindsOf),
    repaired: hostile ? [] : repairs,
    expanded: hostile ? [] : parts.expanded.slice(0, MAX_TERMS),
    topics: parts.readTopics(read),
    followUp: question.text !== question.resolved,
    injectionSignals: question.injectionSignals,
  };
  const views = answer.evidence.slice(0, MAX_PASSAGES).map((evidence) => viewPassage(evidence, asked, parts));
  const gaps = {
    missing: urgent ? [] : missingTerms(asked, views, parts),
    kinds: asked.kinds.filter((group) => !views.some(({ kinds }) => (kinds & group) !== 0)).map(kindsOf),
    topics: query.topics
      .filter((topic) => !views.some(({ passage }) => passage.topics.includes(topic)))
      .map((topic) => ({ topic, inDocuments: mayHold(topic, parts) })),
    unreadable: { paths: parts.unreadable.slice(0, MAX_NAMED), total: parts.unreadable.length },
    conflicts: parts.conflicts.slice(0, MAX_NAMED).map(({ about, kind, sides: [one, other], resolvedBy }) => ({
      ...{ about, kind, resolvedBy: resolvedBy?.rule ?? null },
      ...{ values: [one.value, other.value] as const, titles: [one.title, other.title] as const },
    })),
  };
  const found = {
    causes,
    confidence: answer.confidence,
    headroom: parts.threshold.decisionMargin,
    reportBelow: parts.threshold.below,
    refusal: answer.refusal?.reason ?? null,
    query,
    passages: views.map(({ passage }) => passage),
    gaps,
    checks: checkIssues(answer.checks),
  };
  return { ...found, recommendations: hostile || urgent ? [] : recommend(found, parts) };
}

/** Removes all text from a report, for privacy settings under which no text may be stored. Kinds, counts and scores stay. */
export function withoutText(report: DiagnosticReport): DiagnosticReport {
  const { query, gaps } = report;
  return {
    ...report,
    query: { ...query, terms: [], codes: [], values: [], repaired: [], expanded: [], topics: [] },
    passages: report.passages.map(withoutSource),
    gaps: {
      ...gaps,
      missing: gaps.missing.map((term) => ({ ...term, text: "" })),
      topics: [],
      unreadable: { ...gaps.unreadable, paths: [] },
      conflicts: [],
    },
    checks: report.checks.map((issue) => ({ ...issue, reasons: [] })),
    recommendations: report.recommendations.map((one) => ({ ...one, subject: "", text: "" })),
  };
}

/**
 * Removes from a report everything that comes from documents that the viewer may not see today. Ids, counts and scores
 * stay.
 */
export function withoutDocuments(report: DiagnosticReport, isVisible: (documentId: string) => boolean): DiagnosticReport {
  const { query, gaps } = report;
  if (report.passages.every(({ documentId }) => isVisible(documentId))) return report;
  return {
    ...report,
    query: { ...query, repaired: [] },
    passages: report.passages.map((one) => (isVisible(one.documentId) ? one : withoutSource(one))),
    // Conflicts and reasons may come from any document, so remove all of them.
    gaps: { ...gaps, conflicts: [] },
    checks: report.checks.map((issue) => ({ ...issue, reasons: [] })),
    recommendations: report.recommendations.filter(({ kind }) => kind !== "conflict" && kind !== "sentences_left_out"),
  };
}

function withoutSource(passage: ReportedPassage): ReportedPassage {
  return { ...passage, title: "", url: null, headingPath: [], reason: "", topics: [], lacks: [] };
}

const PLACEHOLDER = new RegExp(String.raw`\[(?:${PERSONAL_KINDS.join("|")})\]`, "g");

/** Redacts personal data, and removes the placeholders that redaction inserts. */
function withoutPersonalData(text: string): string {
  return redactPersonalData(text.slice(0, MAX_READ)).replaceAll(PLACEHOLDER, " ");
}

function replaceWords(text: string, repairs: QueryAnalysis["repaired"]): string {
  const byWord = new Map(repairs.map(({ written, read }) => [written, read]));
  return byWord.size === 0 ? text : text.replaceAll(/\p{L}+/gu, (word) => byWord.get(word.toLowerCase()) ?? word);
}

type AskedTerms = ReturnType<typeof askedTerms>;

/**
 * Extracts the codes, values and words of a question. A code is not listed again as a value, and neither codes nor values
 * are listed again as words.
 */
function askedTerms(text: string, index: AskedWordsIndex) {
  const codes = codesIn(text).slice(0, MAX_TERMS);
  const held = new Set(codes.flatMap((code) => [code, ...index.tokens(code)]));
  const values = new Map(valuesIn(text).map((value) => [keyOf(value), text.slice(value.start, value.end).trim()]));
  const valueTexts = [...values.values()];
  return {
    /** Kinds of value that the question asks for, as groups of bits. */
    kinds: askedValues(text),
    words: askedWords(text, index)
      .filter(
        ({ word, tokens }) =>
          /\p{L}/u.test(word) && !tokens.some((token) => held.has(token)) && !valueTexts.some((text) => text.includes(word)),
      )
      .slice(0, MAX_TERMS),
    codes,
    values: [...values]
      .filter(([key]) => !held.has(key.split(" ")[1] ?? ""))
      .map(([key, text]) => ({ key, text }))
      .slice(0, MAX_TERMS),
  };
}

type PassageView = ReturnType<typeof viewPassage>;

function viewPassage({ passage, score, verdict, reason }: Evidence, asked: AskedTerms, { words: index, readTopics }: ReportParts) {
  const whole = [passage.document.title, ...passage.headingPath, passage.text].join("\n");
  const view = {
    tokens: new Set(index.tokens(whole)),
    // Finding values takes most of the time of a report, so do it only if the question contains a value.
    values: new Set(asked.values.length === 0 ? [] : valuesIn(whole).map(keyOf)),
    /** Kinds of value that the passage contains, as bits. */
    kinds: asked.kinds.length === 0 ? 0 : heldValues(passage.text),
  };
  const { sid, chunkId, document, headingPath, range, scores } = passage;
  return {
    ...view,
    passage: {
      ...{ sid, chunkId, documentId: document.id, documentVersion: document.version, title: document.title, url: document.url },
      ...{ headingPath, range, scores, score, verdict, reason },
      topics: readTopics(whole),
      lacks: [
        ...asked.words.filter((word) => !holdsWord(word, (token) => view.tokens.has(token))).map(({ word }) => word),
        ...asked.codes.filter((code) => !view.tokens.has(code)).map(shownCode),
        ...asked.values.filter(({ key }) => !view.values.has(key)).map(({ text }) => text),
      ],
    },
  };
}

/** Returns a code as people write it, in upper case. The index stores codes in lower case. */
function shownCode(code: string): string {
  return code.toUpperCase();
}

function missingTerms(asked: AskedTerms, views: readonly PassageView[], { words: index, holds, isCommon }: ReportParts): MissingTerm[] {
  const rank = ({ word }: AskedWord) => (isCommon(word.toLowerCase()) ? 1 : 0);
  return [
    ...asked.words
      .filter((word) => !views.some((view) => holdsWord(word, (token) => view.tokens.has(token))))
      .sort((a, b) => rank(a) - rank(b))
      .map((one) => ({ text: one.word, kind: "word" as const, inDocuments: holdsWord(one, holds) })),
    ...asked.codes
      .filter((code) => !views.some(({ tokens }) => tokens.has(code)))
      .map((code) => ({ text: shownCode(code), kind: "code" as const, inDocuments: holds(code) })),
    ...asked.values
      .filter(({ key }) => !views.some(({ values }) => values.has(key)))
      .map(({ text }) => {
        const tokens = index.tokens(text);
        return { text, kind: "value" as const, inDocuments: tokens.length > 0 && tokens.every(holds) };
      }),
  ];
}

/**
 * Checks whether there may be documents about a topic: for one of its keywords, all words occur in documents, not
 * necessarily in one document.
 */
function mayHold(topic: string, { topics, words: index, holds }: ReportParts): boolean {
  const keywords = topics.find(({ slug }) => slug === topic)?.keywords ?? [];
  return keywords.some((keyword) => {
    const tokens = index.tokens(keyword);
    return tokens.length > 0 && tokens.every(holds);
  });
}

/**
 * Returns failed checks with redacted reasons, because a reason may repeat a model's text. If the check for personal data
 * failed, only this check keeps its reasons. Reasons of other checks may repeat the data in fragments that redaction does
 * not recognise.
 */
function checkIssues(checks: readonly CheckResult[]): CheckIssue[] {
  const personal = checks.some(({ name, verdict }) => name === PII_CHECK && verdict !== "pass");
  return [...Map.groupBy(checks.filter(isIssue), ({ name }) => name)].map(([check, found]) => {
    const reasons =
      personal && check !== PII_CHECK ? [] : found.map(({ reason }) => redactPersonalData(reason).slice(0, REASON_CHARACTERS));
    return {
      check,
      warned: found.filter(({ leftOut }) => leftOut !== true).length,
      leftOut: found.filter(({ leftOut }) => leftOut === true).length,
      reasons: [...new Set(reasons)].slice(0, MAX_REASONS),
    };
  });
}

function kindsOf(bits: number): ValueKind[] {
  return (Object.keys(VALUE_KINDS) as ValueKind[]).filter((kind) => (VALUE_KINDS[kind] & bits) !== 0);
}
