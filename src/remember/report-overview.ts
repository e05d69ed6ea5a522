import type { Recommendation, StoredReport, TopicOverview } from "../store/diagnostic-report.ts";
import { compareText } from "../text/compare-text.ts";

/** Missing terms and recommendations listed for a topic. */
const MAX_MISSING = 8;
const MAX_RECOMMENDATIONS = 5;

interface Counted<T> {
  readonly item: T;
  reports: number;
}

interface Group {
  reports: number;
  refused: number;
  confidences: number;
  confidence: number;
  newest: string;
  readonly missing: Map<string, Counted<string>>;
  readonly recommendations: Map<string, Counted<Recommendation>>;
}

/** Collects reports into groups by topic; memory grows with distinct terms and advice, not with reports. */
export interface ReportGrouping {
  /** Reports come newest first: the newest wording of an advice is the one that is shown. */
  add(report: Pick<StoredReport, "topic" | "createdAt" | "report">): void;
  readonly total: number;
  /** The largest group first, then the one with the least confidence. */
  groups(): TopicOverview[];
}

/** @param topics the domain's topics, for their names */
export function createReportGrouping(topics: readonly { readonly slug: string; readonly name: string }[]): ReportGrouping {
  const groups = new Map<string | null, Group>();
  let total = 0;
  return {
    add({ topic, createdAt, report }) {
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
    groups: () =>
      [...groups]
        .map(([topic, group]): TopicOverview => {
          const { reports, refused, newest, confidences, confidence } = group;
          return {
            topic,
            name: topics.find(({ slug }) => slug === topic)?.name ?? null,
            reports,
            refused,
            meanConfidence: confidences === 0 ? null : confidence / confidences,
            missing: mostFrequent(group.missing, MAX_MISSING).map(({ item, reports }) => ({ text: item, reports })),
            recommendations: mostFrequent(group.recommendations, MAX_RECOMMENDATIONS).map(({ item, reports }) => ({ ...item, reports })),
            newest,
          };
        })
        .sort(
          (a, b) => b.reports - a.reports || (a.meanConfidence ?? 1) - (b.meanConfidence ?? 1) || compareText(a.topic ?? "", b.topic ?? ""),
        ),
  };
}

function newGroup(newest: string): Group {
  return { reports: 0, refused: 0, confidences: 0, confidence: 0, newest, missing: new Map(), recommendations: new Map() };
}

function count<T>(counts: Map<string, Counted<T>>, key: string, item: T): void {
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { item, reports: 1 });
  else known.reports++;
}

/** Ties in the order of their keys. */
function mostFrequent<T>(counts: ReadonlyMap<string, Counted<T>>, limit: number): Counted<T>[] {
  return [...counts]
    .sort(([a, one], [b, other]) => other.reports - one.reports || compareText(a, b))
    .slice(0, limit)
    .map(([, counted]) => counted);
}
