import { quantile } from "../../../src/grading/metrics.ts";
import { countRow, makeReport, type Report, type TableRow } from "../../../src/grading/report.ts";
import { claimsOf } from "./claims.ts";
import type { Outcome, ProfileItem } from "./item.ts";

/** Summarizes outcomes, prompt sizes and claims by profile. */
export function summarizeProfiles(items: readonly ProfileItem[], command: string): { report: Report; table: TableRow[] } {
  const table: TableRow[] = [];
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const timings: Record<string, number | null> = {};
  for (const profile of [...new Set(items.map((item) => item.profile))]) {
    const own = items.filter((item) => item.profile === profile);
    n[profile] = own.length;
    table.push({ name: profile, figure: "", note: `${own.length} questions over ${[...new Set(own.map(({ set }) => set))].join(", ")}` });
    const put = (name: string, hits: number, of: number, note?: string) => {
      metrics[`${profile}.${name.replaceAll(" ", "_")}`] = of === 0 ? null : hits / of;
      n[`${profile}.${name.replaceAll(" ", "_")}`] = of;
      table.push(countRow(`  ${name}`, hits, of, note));
    };
    addOutcomes(own, put);
    addPrompts(profile, own, put, table, metrics);
    const claims = claimsOf(profile, own);
    table.push(...claims.table);
    for (const [name, value] of Object.entries(claims.metrics)) metrics[`${profile}.${name}`] = value;
    for (const [name, of] of Object.entries(claims.n)) n[`${profile}.${name}`] = of;
    timings[`${profile}.quotes_ms_p95`] = quantile(
      own.map(({ quotes }) => quotes.latencyMs),
      0.95,
    );
  }
  return { report: makeReport({ name: "profiles", command, n, metrics, timings, items: items.map((item) => ({ ...item })) }), table };
}

type Put = (name: string, hits: number, of: number, note?: string) => void;

function addOutcomes(items: readonly ProfileItem[], put: Put): void {
  for (const [what, of] of [
    ["quotes", (item: ProfileItem) => item.quotes],
    ["writer", (item: ProfileItem) => item.written],
  ] as const) {
    const count = (some: readonly ProfileItem[], hit: (outcome: Outcome) => boolean) => some.filter((item) => hit(of(item))).length;
    const judged = items.filter(({ kind }) => kind !== "plain");
    const answerable = items.filter(({ kind }) => kind === "answerable");
    const shown = judged.filter((item) => of(item).shown);
    put(
      `${what}: answered`,
      count(answerable, ({ shown: one }) => one),
      answerable.length,
      "of questions that the documents answer",
    );
    put(
      `${what}: right`,
      count(answerable, ({ right }) => right),
      answerable.length,
    );
    put(
      `${what}: wrong`,
      count(shown, ({ right }) => !right),
      shown.length,
      "of all that are shown",
    );
    for (const kind of [...new Set(judged.map((item) => item.kind))].filter((one) => one !== "answerable")) {
      const some = judged.filter((item) => item.kind === kind);
      put(
        `${what}: refused ${kind}`,
        count(some, ({ shown: one }) => !one),
        some.length,
      );
    }
  }
}

function addPrompts(
  profile: string,
  items: readonly ProfileItem[],
  put: Put,
  table: TableRow[],
  metrics: Record<string, number | null>,
): void {
  const sizes = items.flatMap(({ promptTokens }) => promptTokens ?? []);
  const [median, most] = [quantile(sizes, 0.5), quantile(sizes, 0.9)];
  metrics[`${profile}.prompt_tokens.median`] = median;
  metrics[`${profile}.prompt_tokens.p90`] = most;
  const figure = median === null ? "none" : `${Math.round(median)} tokens`;
  table.push({ name: "  prompt", figure, note: `median of ${sizes.length}; 90 % up to ${Math.round(most ?? 0)}` });
  const sought = items.filter(({ inPrompt, passages }) => inPrompt !== null && passages.some(({ gold }) => gold));
  put(
    "sought fact in the prompt",
    sought.filter(({ inPrompt }) => inPrompt === true).length,
    sought.length,
    "of questions whose fact is in a passage that was found, and that the writer was asked",
  );
}

/** Renders every sentence of the writer with its cited quotes, for manual review. */
export function renderSentences(items: readonly ProfileItem[]): string {
  const parts = items.flatMap(({ profile, id, question, kind, sentences }) =>
    sentences.map(({ text, fate, why, quotes }) => {
      const cited = quotes.map((quote) => `> ${quote.replaceAll(/\s+/g, " ")}`).join("\n>\n");
      return `## ${profile} · ${id} (${kind}) · ${fate}\n\n${question}\n\n**${text}**\n\n${why.map((one) => `- ${one}\n`).join("")}\n${cited}\n`;
    }),
  );
  return `# Sentences of the writer\n\n${parts.join("\n")}`;
}
