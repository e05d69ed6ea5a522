import { quantile, wilson } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import { type AskedClass, DAY_SHARES } from "../made/replayed-day.ts";
import type { DayEdit, DayItem, DayOptions, JudgedHit } from "./day-item.ts";

const LEVELS = ["exact", "semantic", "graph", "curated"] as const;
const CLASSES = Object.keys(DAY_SHARES) as AskedClass[];
/** Hit rates that the source designs claim for their own, unpublished traffic. */
const CLAIMED = { exact: 0.15, semantic: 0.35, all: 0.6 } as const;

type Hit = DayItem & { readonly hit: JudgedHit };

/** Summarizes a day: hits by class, and faults. */
export function summarizeDay(
  items: readonly DayItem[],
  edits: readonly DayEdit[],
  { command, seed, scriptedModel }: Pick<DayOptions, "command" | "seed" | "scriptedModel">,
): { report: Report; table: TableRow[] } {
  const hits = items.filter((item): item is Hit => item.hit !== null);
  const classes = CLASSES.map((kind) =>
    summarizeClass(
      kind,
      items.filter((item) => item.class === kind),
    ),
  );
  const faults = summarizeFaults(hits);
  const saved = summarizeSaved(items, hits, scriptedModel);
  const spent = summarizeSpent(items);
  const share = (level: string) => items.filter(({ mode }) => mode === level).length;
  const approved = items.filter((item) => item.approved).length;
  const stored = items.filter(({ outcome }) => outcome === "stored").length;
  const wrongOfGraph = hits.filter(({ mode, hit }) => mode === "graph" && isFault(hit)).length;
  const facts = edits.filter(({ kind }) => kind === "fact").length;
  const table: TableRow[] = [
    countRow("served in all", hits.length, items.length, `source designs: ${percent(CLAIMED.all)}, of their own traffic`),
    countRow("  exact", share("exact"), items.length, `source designs: ${percent(CLAIMED.exact)}; here every fifth question is a repeat`),
    countRow("  semantic", share("semantic"), items.length, `source designs: ${percent(CLAIMED.semantic)}`),
    countRow(
      "  graph",
      share("graph"),
      items.length,
      `${approved} of ${stored} stored answers approved; ${wrongOfGraph} of them wrong or stale`,
    ),
    countRow(
      "served of what could be",
      classes.reduce((sum, one) => sum + one.couldHits, 0),
      classes.reduce((sum, one) => sum + one.could, 0),
      COULD,
    ),
    ...classes.flatMap((one) => one.table),
    ...faults.table,
    { name: "edits", figure: `${edits.length}`, note: `${facts} of a fact that a stored answer quotes, ${edits.length - facts} beside it` },
    ...spent.table,
    ...saved.table,
    { name: "mix", figure: "", note: MIX },
  ];
  return {
    table,
    report: makeReport({
      name: "cache-day",
      command,
      seed,
      n: {
        questions: items.length,
        hits: hits.length,
        edits: edits.length,
        "edits.fact": facts,
        ...Object.fromEntries(CLASSES.map((kind, i) => [kind, classes[i]?.n ?? 0])),
      },
      metrics: {
        hit_rate: rate(hits.length, items.length),
        ...Object.fromEntries(LEVELS.map((level) => [`hit_rate.${level}`, rate(share(level), items.length)])),
        ...Object.fromEntries(Object.entries(CLAIMED).map(([level, claim]) => [`claimed.hit_rate.${level}`, claim])),
        ...Object.assign({}, ...classes.map(({ metrics }) => metrics)),
        ...faults.metrics,
        ...spent.metrics,
        ...saved.metrics,
      },
      timings: saved.timings,
      items: [
        ...items.map(({ ms: _, hit, ...item }) => ({ id: `${item.at}`, ...item, ...withoutTime(hit) })),
        ...edits.map((edit, i) => ({ id: `edit ${i}`, ...edit })),
      ],
    }),
  };
}

const COULD = "repeats and paraphrases of a question whose answer was stored or served, its documents unedited since";
const MIX =
  "20 % repeats, 40 % paraphrases (people's pairs first, then frames and short forms by rule), 25 % look-alikes (people's pairs, then one slot changed by rule), 15 % new; a repeat or a wording is of any question asked before, answered or refused";

/** Summarizes one class: hits by level and by origin of the wording, and reasons of misses. */
function summarizeClass(kind: AskedClass, items: readonly DayItem[]) {
  const hits = items.filter(({ hit }) => hit !== null);
  const byLevel = LEVELS.map((level) => [level, hits.filter(({ mode }) => mode === level).length] as const);
  const shares = kind === "repeat" || kind === "paraphrase";
  const wasAnswered = ({ before }: DayItem) => before === "stored" || before === "served";
  const could = shares ? items.filter((item) => wasAnswered(item) && !item.edited) : [];
  const couldHits = could.filter(({ hit }) => hit !== null).length;
  const edited = shares ? items.filter((item) => wasAnswered(item) && item.edited) : [];
  const again = edited.filter(({ hit }) => hit !== null).length;
  const misses = items.filter(({ hit }) => hit === null);
  const missed = {
    refused: misses.filter(({ before }) => before === "refused").length,
    not_clean: misses.filter(({ before }) => before === "not_clean").length,
    edited: misses.filter((item) => wasAnswered(item) && item.edited).length,
    other: misses.filter((item) => wasAnswered(item) && !item.edited).length,
  };
  const origins = [...new Set(items.map(({ source }) => source))].sort();
  const table: TableRow[] = [
    countRow(`${kind}: served`, hits.length, items.length, byLevel.flatMap(([level, n]) => (n === 0 ? [] : [`${n} ${level}`])).join(", ")),
  ];
  if (shares) {
    table.push(
      countRow("  of what could be served", couldHits, could.length),
      countRow("  after an edit of its documents", again, edited.length, "anchored anew, or stored again by another question"),
      {
        name: "  missed",
        figure: `${misses.length}`,
        note: Object.entries(missed)
          .map(([why, n]) => `${n} ${MISSED[why as keyof typeof missed]}`)
          .join(", "),
      },
    );
  }
  if (origins.length > 1) {
    for (const source of origins) {
      const of = items.filter((item) => item.source === source);
      table.push(countRow(`  by ${source}`, of.filter(({ hit }) => hit !== null).length, of.length));
    }
  }
  return {
    n: items.length,
    could: could.length,
    couldHits,
    table,
    metrics: {
      [`${kind}.hit_rate`]: rate(hits.length, items.length),
      ...Object.fromEntries(byLevel.map(([level, n]) => [`${kind}.${level}`, n])),
      ...(shares
        ? {
            [`${kind}.could`]: could.length,
            [`${kind}.could.hit_rate`]: rate(couldHits, could.length),
            [`${kind}.edited`]: edited.length,
            [`${kind}.edited.served`]: again,
            ...Object.fromEntries(Object.entries(missed).map(([why, n]) => [`${kind}.missed.${why}`, n])),
          }
        : {}),
    },
  };
}

const MISSED = {
  refused: "whose question was refused",
  not_clean: "whose answer was not clean",
  edited: "edited since",
  other: "found unlike",
} as const;

/** Tests whether a hit is stale, served to a hard negative, or different from the current answer to the stored question. */
export function isFault({ stale, relation, current }: JudgedHit): boolean {
  return stale !== null || relation === "must_not_share" || !current;
}

function summarizeFaults(hits: readonly Hit[]) {
  const of = (is: (hit: JudgedHit) => boolean) => hits.filter(({ hit }) => is(hit)).length;
  const stale = of(({ stale }) => stale !== null);
  const mustNot = of(({ relation }) => relation === "must_not_share");
  const changed = of(({ current }) => !current);
  const any = of(isFault);
  const other = of(({ sources }) => sources === "other");
  const refused = of(({ sources }) => sources === "refused");
  const unlabelled = of(({ relation }) => relation === "unlabelled");
  const doubtful = of(({ relation, sources }) => relation === "unlabelled" && sources !== "common");
  const upper = wilson(any, hits.length)?.high ?? null;
  const shown = upper === null ? "" : `; at 95 % below ${(100 * upper).toFixed(2)} % of hits`;
  return {
    table: [
      countRow("stale or wrong, served", any, hits.length, `aim: none${shown}`),
      countRow("  stale", stale, hits.length, "a quote does not stand in the file of today, or the file has another version"),
      countRow("  must not share", mustNot, hits.length, "served to a question that only looks like the stored one"),
      countRow("  another answer today", changed, hits.length, "the stored question, asked anew, is answered otherwise"),
      countRow(
        "other sources",
        other,
        hits.length,
        "the asked question, asked anew, cites no quote and no passage of what was served; not counted as wrong",
      ),
      countRow("refused alone", refused, hits.length, "the asked question, asked anew, is refused; not counted as wrong"),
      countRow("not labelled", unlabelled, hits.length, "nobody has said whether the two questions share an answer"),
      countRow("  and no common source", doubtful, hits.length, "to be read: `--json` lists both questions"),
    ],
    metrics: {
      "faults.any": any,
      "faults.any.rate_upper": upper,
      "faults.stale": stale,
      "faults.must_not_share": mustNot,
      "faults.another_answer": changed,
      other_sources: other,
      refused_alone: refused,
      unlabelled,
      "unlabelled.no_common_source": doubtful,
    },
  };
}

/** Summarizes the savings, measured by answering each hit again without caches. */
function summarizeSaved(items: readonly DayItem[], hits: readonly Hit[], scripted: boolean) {
  const tokens = sum(hits.map(({ hit }) => hit.tokens));
  const usd = sum(hits.map(({ hit }) => hit.usd));
  const ms = hits.reduce((total, item) => total + item.hit.freshMs - item.ms, 0);
  const of = (mode: string) => items.filter((item) => item.mode === mode).map((item) => item.ms);
  const median = (mode: string) => quantile(of(mode), 0.5);
  const p95 = (mode: string) => quantile(of(mode), 0.95);
  const shown = (value: number | null) => (value === null ? "–" : `${value.toFixed(1)} ms`);
  const priced = scripted
    ? "a scripted model of this process, its tokens counted, at the list prices of the models whose names it bears"
    : "0 without a model";
  return {
    table: [
      { name: "tokens saved", figure: tokens === null ? "not counted" : `${tokens}`, note: priced },
      { name: "money saved", figure: usd === null ? "not known" : `$ ${usd.toFixed(4)}` },
      { name: "time saved", figure: `${(ms / 1000).toFixed(1)} s`, note: "what answering anew took, less what the hits took" },
      {
        name: "median time",
        figure: shown(median("miss")),
        note: `of a miss; exact ${shown(median("exact"))}, semantic ${shown(median("semantic"))}`,
      },
    ] satisfies TableRow[],
    metrics: { "saved.tokens": tokens, "saved.usd": usd },
    timings: {
      "saved.ms": ms,
      ...Object.fromEntries(
        ["exact", "semantic", "graph", "miss"].flatMap((mode) => [
          [`${mode}.p50_ms`, median(mode)],
          [`${mode}.p95_ms`, p95(mode)],
        ]),
      ),
    },
  };
}

/** The terms of the routing rule (`routeModel`): each one alone selects the large model. */
const LARGE_TERMS: Readonly<Record<string, RegExp>> = {
  "a complex term": /complex \(/,
  "many passages": /passages >/,
  "low similarity": /mean similarity/,
};

/** Summarizes what the model calls of the day cost, and what the large model alone would have cost for the same calls. */
function summarizeSpent(items: readonly DayItem[]) {
  const small = items.reduce((total, { spent }) => total + spent.routed.small, 0);
  const calls = items.reduce((total, { spent }) => total + spent.routed.calls, 0);
  if (calls === 0) return { table: [], metrics: {} };
  const routes = items.flatMap(({ route }) => route ?? []);
  const large = routes.filter((route) => route.startsWith("large"));
  const tokens = sum(items.map(({ spent }) => spent.tokens));
  const usd = sum(items.map(({ spent }) => spent.usd));
  const largeUsd = sum(items.map(({ spent }) => (spent.routed.calls === 0 ? spent.usd : spent.largeCostUsd)));
  return {
    table: [
      countRow("written by the small model", small, calls, "of the writing calls; source design: 70 %"),
      ...Object.entries(LARGE_TERMS).map(([name, term]) => {
        const named = large.filter((route) => term.test(route));
        const alone = named.filter((route) => !route.includes("; "));
        return countRow(`large because of ${name}`, named.length, routes.length, `${alone.length} for this reason alone`);
      }),
      { name: "tokens spent", figure: tokens === null ? "not counted" : `${tokens}` },
      {
        name: "money spent",
        figure: usd === null ? "not known" : `$ ${usd.toFixed(4)}`,
        note: largeUsd === null ? "" : `$ ${largeUsd.toFixed(4)} if the large model had written everything`,
      },
    ] satisfies TableRow[],
    metrics: { "routed.small": rate(small, calls), "spent.tokens": tokens, "spent.usd": usd, "spent.large_usd": largeUsd },
  };
}

function withoutTime(hit: JudgedHit | null): Partial<JudgedHit> {
  if (hit === null) return {};
  const { freshMs: _, ...rest } = hit;
  return rest;
}

function rate(hits: number, n: number): number | null {
  return n === 0 ? null : hits / n;
}

/** Sums values; `null` if one is not known. */
function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);
}

function percent(share: number): string {
  return `${100 * share} %`;
}
