import { PERSONAL_KINDS, redactPersonalData } from "../guard/pii.ts";
import { type AskedWord, type AskedWordsIndex, askedValues, askedWords, heldValues, VALUE_KINDS } from "../language/asked-values.ts";
import { readQuestion } from "../language/question.ts";
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

/** Terms of one kind that are looked for: a question of a page has more words than anybody acts on. */
export const MAX_TERMS = 32;
/** Passages kept of a report: more than any profile hands on. */
const MAX_PASSAGES = 12;
/** Conflicts, and files that could not be parsed, that are named. */
const MAX_NAMED = 5;
/** Reasons kept of one check, and their characters. */
const MAX_REASONS = 3;
const REASON_CHARACTERS = 200;
/** Name of the check that looks for personal data. */
const PII_CHECK = "pii";
/** Characters of a question that are analysed: many times the longest one that is admitted by default. */
const MAX_READ = 10_000;

/** What a report is made of besides question and answer. */
export interface ReportParts {
  /** Tokens of the index; a text that says the same in other words holds the question's words. */
  readonly words: AskedWordsIndex;
  /** Does a document that the asker may read hold the token? */
  readonly holds: (token: string) => boolean;
  readonly readTopics: ReadTopics;
  /** Is a word (lower case) one that every text uses? Such words are named last. */
  readonly isCommon: (word: string) => boolean;
  /** The domain's topics, for their names and keywords. */
  readonly topics: readonly { readonly slug: string; readonly name: string; readonly keywords: readonly string[] }[];
  readonly repairs: QueryAnalysis["repaired"];
  /** Other words that were searched too. */
  readonly expanded: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** Does the domain pack declare which source holds? */
  readonly declaresPrecedence: boolean;
  readonly documents: number;
  readonly unreadable: readonly string[];
  readonly threshold: ReportThreshold;
}

/** From where on an answered question is reported; `null`: the profile does not go by it. */
export interface ReportThreshold {
  /** How far above the least that answers; `null`: not known. */
  readonly headroom: number | null;
  /** Reported with less headroom than this. */
  readonly margin: number | null;
  /** Reported with less confidence than this. */
  readonly below: number | null;
}

/** Why a fresh answer gets a report; empty: it needs none. A hit had its report when it was written. */
export function reportCauses(
  { refusal, confidence, checks, cacheMode }: Pick<Answer, "refusal" | "confidence" | "checks" | "cacheMode">,
  { headroom, margin, below }: ReportThreshold,
): ReportCause[] {
  if (cacheMode !== "miss") return [];
  const low = (confidence !== null && below !== null && confidence < below) || (headroom !== null && margin !== null && headroom < margin);
  return [
    ...(refusal !== null ? (["refused"] as const) : low ? (["low_confidence"] as const) : []),
    ...(checks.some(isIssue) ? (["checks"] as const) : []),
  ];
}

function isIssue({ verdict, leftOut }: CheckResult): boolean {
  return verdict === "warn" || (verdict === "fail" && leftOut === true);
}

/** The diagnostic report of a question. Pure; no model. Time is linear in question and passages. */
export function diagnose(question: Question, answer: Answer, causes: readonly ReportCause[], parts: ReportParts): DiagnosticReport {
  const hostile = question.injectionSignals.length > 0;
  // What somebody in danger writes is nothing that documents lack.
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
    expects: askedValues(read).map(kindsOf),
    repaired: hostile ? [] : repairs,
    expanded: hostile ? [] : parts.expanded.slice(0, MAX_TERMS),
    topics: parts.readTopics(read),
    followUp: question.text !== question.resolved,
    injectionSignals: question.injectionSignals,
  };
  const views = answer.evidence.slice(0, MAX_PASSAGES).map((evidence) => viewPassage(evidence, asked, parts));
  const gaps = {
    missing: urgent ? [] : missingTerms(asked, views, parts),
    kinds: askedValues(read)
      .filter((group) => !views.some(({ kinds }) => (kinds & group) !== 0))
      .map(kindsOf),
    topics: query.topics
      .filter((topic) => !views.some(({ passage }) => passage.topics.includes(topic)))
      .map((topic) => ({ topic, inDocuments: mayHold(topic, parts) })),
    unreadable: { paths: parts.unreadable.slice(0, MAX_NAMED), total: parts.unreadable.length },
    conflicts: parts.conflicts.slice(0, MAX_NAMED).map(({ about, kind, sides: [one, other], resolvedBy }) => ({
      about,
      kind,
      values: [one.value, other.value] as const,
      titles: [one.title, other.title] as const,
      resolvedBy: resolvedBy?.rule ?? null,
    })),
  };
  const found = {
    causes,
    confidence: answer.confidence,
    headroom: parts.threshold.headroom,
    reportBelow: parts.threshold.below,
    refusal: answer.refusal?.reason ?? null,
    query,
    passages: views.map(({ passage }) => passage),
    gaps,
    checks: checkIssues(answer.checks),
  };
  return { ...found, recommendations: hostile || urgent ? [] : recommend(found, parts) };
}

/** A report that tells nothing of what was asked: kinds, counts and scores are left, for where no text may be stored. */
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

/** A report without what it took from documents that its reader may not see today; ids, counts and scores stay. */
export function withoutDocuments(report: DiagnosticReport, isVisible: (documentId: string) => boolean): DiagnosticReport {
  const { query, gaps } = report;
  if (report.passages.every(({ documentId }) => isVisible(documentId))) return report;
  return {
    ...report,
    query: { ...query, repaired: [] },
    passages: report.passages.map((one) => (isVisible(one.documentId) ? one : withoutSource(one))),
    // Of values, titles and reasons nobody knows which document they came from.
    gaps: { ...gaps, conflicts: [] },
    checks: report.checks.map((issue) => ({ ...issue, reasons: [] })),
    recommendations: report.recommendations.filter(({ kind }) => kind !== "conflict" && kind !== "sentences_left_out"),
  };
}

function withoutSource(passage: ReportedPassage): ReportedPassage {
  return { ...passage, title: "", url: null, headingPath: [], reason: "", topics: [], lacks: [] };
}

const PLACEHOLDER = new RegExp(String.raw`\[(?:${PERSONAL_KINDS.join("|")})\]`, "g");

/** The text without personal data, and without the marks that stand for it: they are not what was asked. */
function withoutPersonalData(text: string): string {
  return redactPersonalData(text.slice(0, MAX_READ)).replaceAll(PLACEHOLDER, " ");
}

function replaceWords(text: string, repairs: QueryAnalysis["repaired"]): string {
  const byWord = new Map(repairs.map(({ written, read }) => [written, read]));
  return byWord.size === 0 ? text : text.replaceAll(/\p{L}+/gu, (word) => byWord.get(word.toLowerCase()) ?? word);
}

interface AskedTerms {
  readonly words: readonly AskedWord[];
  readonly codes: readonly string[];
  readonly values: readonly { readonly text: string; readonly key: string }[];
}

/** What the question asks about. What is a code is no value, and what has digits is no word. */
function askedTerms(text: string, index: AskedWordsIndex): AskedTerms {
  const codes = codesIn(text).slice(0, MAX_TERMS);
  const held = new Set(codes.flatMap((code) => [code, ...index.tokens(code)]));
  const values = new Map(valuesIn(text).map((value) => [keyOf(value), text.slice(value.start, value.end).trim()]));
  return {
    words: askedWords(text, index)
      .filter(({ word }) => !/\p{N}/u.test(word))
      .slice(0, MAX_TERMS),
    codes,
    values: [...values]
      .filter(([key]) => !held.has(key.split(" ")[1] ?? ""))
      .map(([key, text]) => ({ key, text }))
      .slice(0, MAX_TERMS),
  };
}

interface PassageView {
  readonly passage: ReportedPassage;
  readonly tokens: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  /** Kinds of value that it holds, as bits. */
  readonly kinds: number;
}

function viewPassage(
  { passage, score, verdict, reason }: Evidence,
  asked: AskedTerms,
  { words: index, readTopics }: ReportParts,
): PassageView {
  const whole = [passage.document.title, ...passage.headingPath, passage.text].join("\n");
  const view = {
    tokens: new Set(index.tokens(whole)),
    values: new Set(valuesIn(whole).map(keyOf)),
    kinds: heldValues(passage.text),
  };
  const { sid, chunkId, document, headingPath, range, scores } = passage;
  return {
    ...view,
    passage: {
      ...{ sid, chunkId, documentId: document.id, documentVersion: document.version, title: document.title, url: document.url },
      ...{ headingPath, range, scores, score, verdict, reason },
      topics: readTopics(whole),
      lacks: [
        ...asked.words.filter((word) => !holdsWord(view, word)).map(({ word }) => word),
        ...asked.codes.filter((code) => !view.tokens.has(code)).map(shownCode),
        ...asked.values.filter(({ key }) => !view.values.has(key)).map(({ text }) => text),
      ],
    },
  };
}

/** A code as people write it; the index has it in lower case. */
function shownCode(code: string): string {
  return code.toUpperCase();
}

function holdsWord({ tokens }: Pick<PassageView, "tokens">, word: AskedWord): boolean {
  return word.tokens.some((token) => tokens.has(token));
}

function missingTerms(asked: AskedTerms, views: readonly PassageView[], { words: index, holds, isCommon }: ReportParts): MissingTerm[] {
  const rank = ({ word }: AskedWord) => (isCommon(word.toLowerCase()) ? 1 : 0);
  return [
    ...asked.words
      .filter((word) => !views.some((view) => holdsWord(view, word)))
      .sort((a, b) => rank(a) - rank(b))
      .map(({ word, tokens }) => ({ text: word, kind: "word" as const, inDocuments: tokens.some(holds) })),
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

/** Could a document be on the topic? It could where the words of one of its keywords stand in documents, together or apart. */
function mayHold(topic: string, { topics, words: index, holds }: ReportParts): boolean {
  const keywords = topics.find(({ slug }) => slug === topic)?.keywords ?? [];
  return keywords.some((keyword) => {
    const tokens = index.tokens(keyword);
    return tokens.length > 0 && tokens.every(holds);
  });
}

/**
 * Reasons are redacted: they may say what a model wrote. Where that held personal data only the check that found it speaks: another one may name it in pieces
 * that nothing recognises.
 */
function checkIssues(checks: readonly CheckResult[]): CheckIssue[] {
  const personal = checks.some(({ name, verdict }) => name === PII_CHECK && verdict !== "pass");
  const byName = new Map<string, CheckResult[]>();
  for (const check of checks.filter(isIssue)) byName.set(check.name, [...(byName.get(check.name) ?? []), check]);
  return [...byName].map(([check, found]) => {
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
