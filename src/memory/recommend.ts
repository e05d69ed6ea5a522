import type { DiagnosticReport, MissingTerm, Recommendation, StoredReport, ValueKind } from "../store/diagnostic-report.ts";
import { compareText } from "../text/normalise.ts";

/** Maximum number of recommendations in a report. Nobody would act on more. */
const MAX_RECOMMENDATIONS = 8;
/** Maximum number of recommendations about missing terms, of recommendations about unreadable files, and of terms in one recommendation. */
const MAX_EACH = 3;
/** Minimum share and number of out-of-vocabulary words in a question that counts as outside the domain. */
const STRANGE_SHARE = 0.6;
const STRANGE_WORDS = 3;

const KIND_NAMES: Readonly<Record<ValueKind, string>> = {
  money: "amount of money",
  percent: "percentage",
  duration: "period",
  date: "date",
  number: "number",
  form: "form",
  phone: "phone number",
  address: "address",
  name: "name",
};

export interface RecommendParts {
  readonly topics: readonly { readonly slug: string; readonly name: string }[];
  readonly isCommon: (word: string) => boolean;
  readonly declaresPrecedence: boolean;
  readonly documents: number;
}

/**
 * Returns recommendations for better documents, each marked as based on counted facts or on a heuristic. If there are no
 * documents, the only recommendation is to add some.
 */
export function recommend(report: Omit<DiagnosticReport, "recommendations">, parts: RecommendParts): Recommendation[] {
  if (parts.documents === 0) {
    const text = "There are no documents that the person who asked may see. Ingest a folder: `sourcebound ingest FOLDER`.";
    return [{ kind: "no_documents", subject: "", text, basis: "counted" }];
  }
  const { causes, gaps } = report;
  const weak = causes.includes("refused") || causes.includes("low_confidence");
  const outOfVocabulary = gaps.missing.filter(({ inDocuments }) => !inDocuments);
  const outside = isOutside(report, outOfVocabulary);
  const found = [
    ...(weak && outside ? [outsideDomain()] : []),
    ...(weak ? outOfVocabulary.slice(0, outside ? 0 : MAX_EACH).map(inNoDocument) : []),
    ...gaps.conflicts.filter(({ resolvedBy }) => resolvedBy === null).map((conflict) => settleConflict(conflict, parts)),
    ...(weak && !outside ? fillGaps(report, parts) : []),
    ...(weak ? gaps.unreadable.paths.slice(0, MAX_EACH).map(unreadableFile) : []),
    ...report.checks.filter(({ leftOut }) => leftOut > 0).map(leftOutBy),
  ];
  return found.slice(0, MAX_RECOMMENDATIONS);
}

/**
 * Returns whether a question is outside the domain: most of its words occur in no document, and no passage is about one of
 * its topics. Such a question shows no gap in the documents.
 */
function isOutside({ query, gaps }: Pick<DiagnosticReport, "query" | "gaps">, outOfVocabulary: readonly MissingTerm[]): boolean {
  const words = outOfVocabulary.filter(({ kind }) => kind === "word").length;
  return (
    query.topics.every((topic) => gaps.topics.some((gap) => gap.topic === topic)) &&
    words >= STRANGE_WORDS &&
    words >= STRANGE_SHARE * query.terms.length
  );
}

function outsideDomain(): Recommendation {
  const text =
    "Most words of the question occur in no document, so the question is probably about something that the documents do not cover.";
  return { kind: "outside_domain", subject: "", text, basis: "heuristic" };
}

function inNoDocument({ text: term, kind }: MissingTerm): Recommendation {
  const otherwise = kind === "word" ? ", or declare the documents' own term for it under `synonyms` in the domain pack" : "";
  const text = `No document mentions "${term}". Add a document that does${otherwise}.`;
  return { kind: "in_no_document", subject: term.toLowerCase(), text, basis: "counted" };
}

function fillGaps(
  { gaps, passages, query }: Omit<DiagnosticReport, "recommendations">,
  { topics, isCommon }: RecommendParts,
): Recommendation[] {
  const nameOf = (slug: string) => topics.find((topic) => topic.slug === slug)?.name ?? slug;
  const found: Recommendation[] = gaps.topics
    .filter(({ inDocuments }) => !inDocuments)
    .map(({ topic }) => ({
      kind: "topic_without_documents",
      subject: topic,
      text: `No document seems to be about "${nameOf(topic)}": none contains one of its keywords. Add documents about it.`,
      basis: "heuristic",
    }));
  if (passages.length === 0) return found;
  const apart = gaps.missing.filter(({ text, inDocuments }) => inDocuments && !isCommon(text.toLowerCase())).map(({ text }) => text);
  if (apart.length > 0) {
    const [first] = apart as [string, ...string[]];
    const text = `Some documents mention ${listed(apart)}, but none of the passages found for the question does. Mention ${listed(apart)} in the passage that contains the answer, or declare \`synonyms\` in the domain pack.`;
    found.push({ kind: "not_together", subject: first.toLowerCase(), text, basis: "heuristic" });
  }
  const topic = query.topics.find((slug) => passages.some(({ topics: held }) => held.includes(slug)));
  for (const kinds of gaps.kinds) {
    const valueKinds = kinds.map((kind) => KIND_NAMES[kind]).join(" or ");
    const where = topic === undefined ? `${passages.length} passages found` : `passages found about "${nameOf(topic)}"`;
    const text = `The question asks for ${valueKinds}, but none of the ${where} contains one. Add the value there, or ingest the page that states it.`;
    found.push({ kind: "no_such_value", subject: `${topic ?? ""} ${kinds.join(" ")}`.trim(), text, basis: "heuristic" });
  }
  if (found.length === 0 && gaps.missing.length === 0) {
    const text =
      "The passages found contain every word of the question. The answer may be missing, spread over several places, or worded differently. Write it as one sentence in a document, in the words of the question.";
    found.push({ kind: "worded_otherwise", subject: topic ?? "", text, basis: "heuristic" });
  }
  return found;
}

function settleConflict(
  { about, values: [one, other], titles: [first, second] }: DiagnosticReport["gaps"]["conflicts"][number],
  { declaresPrecedence }: RecommendParts,
): Recommendation {
  const where = first === second ? `"${first}" says` : `"${first}" and "${second}" say`;
  const advice = declaresPrecedence
    ? "The rules under `precedence` in the domain pack do not decide which applies. Correct the wrong text, or, for the rule `newer`, date both documents."
    : "Correct the wrong text, or declare under `precedence` in the domain pack which source takes precedence.";
  const subject = [first, second].sort().join(" | ");
  return { kind: "conflict", subject, text: `${where} "${one}" and "${other}" about ${about}. ${advice}`, basis: "heuristic" };
}

function unreadableFile(path: string): Recommendation {
  const text = `"${path}" could not be read, so it was not searched. Repair it, or convert it to Markdown, text or HTML.`;
  return { kind: "unreadable_file", subject: path, text, basis: "counted" };
}

function leftOutBy({ check }: DiagnosticReport["checks"][number]): Recommendation {
  const text = `A sentence of the model failed the check "${check}" and was left out of the answer. Check whether the documents state it elsewhere.`;
  return { kind: "sentences_left_out", subject: check, text, basis: "heuristic" };
}

function listed(terms: readonly string[]): string {
  const shown = terms.slice(0, MAX_EACH).map((term) => `"${term}"`);
  const more = terms.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(" and ");
}

/** Maximum number of missing terms in the overview of a topic. `MAX_ADVICE` is the maximum number of its recommendations. */
const MAX_MISSING = 8;
const MAX_ADVICE = 5;

interface Counted<T> {
  readonly item: T;
  reports: number;
}

/** Creates an object that groups reports by topic. @param topics topics of the domain, for their names */
export function createReportGrouping(topics: readonly { readonly slug: string; readonly name: string }[]) {
  const groups = new Map<string | null, ReturnType<typeof newGroup>>();
  let total = 0;
  return {
    /** Adds a report. Reports must be added newest first: the wording of equal recommendations is that of the first report with them. */
    add({ topic, createdAt, report }: Pick<StoredReport, "topic" | "createdAt" | "report">): void {
      total++;
      const group = groups.get(topic) ?? newGroup(createdAt);
      groups.set(topic, group);
      group.reports++;
      if (report.refusal !== null) group.refused++;
      if (report.confidence !== null) {
        group.confidences++;
        group.confidence += report.confidence;
      }
      if (createdAt > group.newest) group.newest = createdAt;
      const missing = new Map(report.gaps.missing.map(({ text }) => [text.toLowerCase(), text]));
      missing.delete("");
      for (const [key, text] of missing) count(group.missing, key, text);
      const advised = new Map(report.recommendations.map((one) => [`${one.kind} ${one.subject}`, one]));
      for (const [key, one] of advised) count(group.recommendations, key, one);
    },
    get total() {
      return total;
    },
    /** Returns the groups, the largest first. Groups of equal size are ordered by mean confidence, the lowest first. */
    groups: () =>
      [...groups]
        .map(([topic, group]) => {
          const { reports, refused, newest, confidences, confidence } = group;
          return {
            ...{ topic, name: topics.find(({ slug }) => slug === topic)?.name ?? null, reports, refused },
            /** Mean of the known confidences; `null` if there are none. */
            meanConfidence: confidences === 0 ? null : confidence / confidences,
            /** Terms of questions that no passage contained, most frequent first. */
            missing: mostFrequent(group.missing, MAX_MISSING).map(({ item, reports }) => ({ text: item, reports })),
            /** Recommendations, most frequent first, each in the wording of the newest report that contains it. */
            recommendations: mostFrequent(group.recommendations, MAX_ADVICE).map(({ item, reports }) => ({ ...item, reports })),
            newest,
          };
        })
        .sort(
          (a, b) => b.reports - a.reports || (a.meanConfidence ?? 1) - (b.meanConfidence ?? 1) || compareText(a.topic ?? "", b.topic ?? ""),
        ),
  };
}

/** Summary of the reports of one topic, to decide which document to write next. */
export type TopicOverview = ReturnType<ReturnType<typeof createReportGrouping>["groups"]>[number];

/** Reports grouped by topic, the largest group first, and one page of single reports. */
export interface ReportOverview {
  /** Total number of reports. */
  readonly total: number;
  readonly topics: readonly TopicOverview[];
  /** One page of the reports, newest first. */
  readonly reports: readonly StoredReport[];
}

function newGroup(newest: string) {
  const terms = { missing: new Map<string, Counted<string>>(), recommendations: new Map<string, Counted<Recommendation>>() };
  return { reports: 0, refused: 0, confidences: 0, confidence: 0, newest, ...terms };
}

function count<T>(counts: Map<string, Counted<T>>, key: string, item: T): void {
  const known = counts.get(key) ?? { item, reports: 0 };
  counts.set(key, known);
  known.reports++;
}

/** Returns the most frequent entries. Entries of equal frequency are ordered by key. */
function mostFrequent<T>(counts: ReadonlyMap<string, Counted<T>>, limit: number): Counted<T>[] {
  return [...counts]
    .sort(([a, one], [b, other]) => other.reports - one.reports || compareText(a, b))
    .slice(0, limit)
    .map(([, counted]) => counted);
}
