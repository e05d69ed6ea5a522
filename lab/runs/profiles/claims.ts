import { mean, quantile } from "../../../src/grading/metrics.ts";
import { countRow, decimal, type TableRow } from "../../../src/grading/report.ts";
import { profileNamed } from "../../../src/profiles/index.ts";
import type { ProfileItem } from "./item.ts";

/** Rows and metrics that compare a source's claims with our figures. */
export interface ClaimSheet {
  readonly table: readonly TableRow[];
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Denominator of each share. */
  readonly n: Readonly<Record<string, number>>;
}

type Claim = (items: readonly ProfileItem[]) => ClaimSheet;

function counted(name: string, hits: number, n: number, note: string): ClaimSheet {
  return {
    table: [countRow(`  ${name}`, hits, n, note)],
    metrics: { [name.replaceAll(" ", "_")]: n === 0 ? null : hits / n },
    n: { [name.replaceAll(" ", "_")]: n },
  };
}

function measured(name: string, value: number | null, unit: string, note: string): ClaimSheet {
  const shown =
    value === null
      ? "not measured"
      : unit === ""
        ? decimal(value)
        : `${unit === "$" ? "$" : ""}${value.toPrecision(3)}${unit === "$" ? "" : ` ${unit}`}`;
  return { table: [{ name: `  ${name}`, figure: shown, note }], metrics: { [name.replaceAll(" ", "_")]: value }, n: {} };
}

function p95(items: readonly ProfileItem[], stage: string): number | null {
  return quantile(
    items.flatMap(({ quotes }) => quotes.timings[stage] ?? []),
    0.95,
  );
}

function answerable(items: readonly ProfileItem[]): ProfileItem[] {
  return items.filter(({ kind }) => kind === "answerable");
}

const costPerQuery =
  (claim: string): Claim =>
  (items) =>
    measured(
      "cost per query",
      mean(items.flatMap(({ written }) => written.costUsd ?? [])),
      "$",
      `source claims ${claim}; refused ones cost nothing and count; list prices of today (src/models/prices.json)`,
    );

const routed: Claim = (items) => {
  const asked = items.filter(({ promptTokens }) => promptTokens !== null);
  const small = asked.filter(({ written }) => /mini/.test(written.model)).length;
  const large = asked.filter(({ written }) => /gpt/.test(written.model) && !/mini/.test(written.model)).length;
  return counted("routed to the small model", small, small + large, "source claims 70 %: of answers that a model wrote");
};

const sentences: Claim = (items) => {
  const all = items.flatMap((item) => item.sentences);
  return counted(
    "right sentences shown clean",
    all.filter(({ fate }) => fate === "clean").length,
    all.length,
    "asked: 90 %; right sentences in a person's words, without a warning at them",
  );
};

const weak: Claim = (items) => {
  const far = items.filter(({ kind }) => kind === "out_of_scope" || kind === "nonsense");
  return counted(
    "answers on weak retrieval",
    far.filter(({ written, quotes }) => written.shown || quotes.shown).length,
    far.length,
    "source claims 0 %: out of scope or nonsense and answered, with quotes or with the writer",
  );
};

/** Compares the precision above our thresholds with the source's claims for its cross-encoder. */
const guard: Claim = (items) => {
  const { gate } = profileNamed("spark");
  if (gate.type !== "guard") return { table: [], metrics: {}, n: {} };
  const { perPassage, aggregate } = gate.learned;
  const passages = items.flatMap((item) => item.passages);
  const from = passages.filter(({ score }) => score >= perPassage);
  const confidence = (item: ProfileItem) => mean(item.passages.filter(({ score }) => score >= perPassage).map(({ score }) => score)) ?? 0;
  const sure = items.filter((item) => confidence(item) >= aggregate);
  const relevant = counted(
    "P relevant from .28",
    from.filter(({ gold }) => gold).length,
    from.length,
    `source claims .85; .28 is carried over to ${perPassage}; passages that hold a marked quote, of those of the 8 that pass`,
  );
  const answers = counted(
    "P answerable from .35",
    sure.filter(({ kind }) => kind === "answerable").length,
    sure.length,
    `source claims .90; .35 is carried over to ${aggregate}; questions that the documents answer`,
  );
  return merge([relevant, answers]);
};

const ranking: Claim = (items) => {
  const asked = answerable(items).filter(({ ranks }) => ranks !== null);
  const ranks = asked.map((item) => item.ranks ?? []);
  const found = counted(
    "recall@50",
    ranks.filter((one) => one.length > 0).length,
    ranks.length,
    "source claims .94; questions with a passage that holds a marked quote among 50",
  );
  const precision = measured(
    "precision@8",
    mean(ranks.map((one) => one.filter((rank) => rank <= 8).length / 8)),
    "",
    "source claims .87; mostly one passage holds a marked quote, so 1/8 is what can be had",
  );
  const mrr = measured("MRR", mean(ranks.map((one) => (one[0] === undefined ? 0 : 1 / one[0]))), "", "source claims .82");
  return merge([found, precision, mrr]);
};

const buckets: Claim = (items) => {
  const passages = items.flatMap((item) => item.passages);
  const rows = (["verified", "uncertain", "rejected"] as const).map((verdict) => {
    const some = passages.filter((one) => one.verdict === verdict);
    return merge([
      counted(verdict, some.length, passages.length, "of all passages"),
      counted(`${verdict} hold a marked quote`, some.filter(({ gold }) => gold).length, some.length, ""),
    ]);
  });
  const parts = (["relevance", "consistency", "agreement"] as const).map((part) => {
    const known = passages.flatMap((one) => one[part] ?? []);
    const quantiles = [0.1, 0.5, 0.9].map((share) => decimal(quantile(known, share))).join(", ");
    return counted(`${part} scored`, known.length, passages.length, `its 10, 50 and 90 %: ${quantiles}`);
  });
  return merge([...rows, ...parts]);
};

const grades: Claim = (items) => {
  const graded = items.flatMap(({ report }) => (report === null || report === undefined ? [] : [report]));
  const names = [...new Set(graded.flatMap(({ metrics }) => Object.keys(metrics)))];
  const passed = names.map((name) => {
    const told = graded.filter(({ metrics }) => typeof metrics[name]?.passed === "boolean");
    return counted(
      `${name} passed`,
      told.filter(({ metrics }) => metrics[name]?.passed === true).length,
      told.length,
      `graded ${graded.length}`,
    );
  });
  const overhead = measured(
    "grading overhead",
    quantile(
      items.flatMap(({ written }) => written.timings.check ?? []),
      0.5,
    ),
    "ms",
    "source claims 350 to 650 ms; median of the stage that grades",
  );
  return merge([...passed, overhead]);
};

const refusals: Claim = (items) => {
  const kinds = new Map<string, number>();
  for (const { written } of items) if (written.refusal !== null) kinds.set(written.refusal, (kinds.get(written.refusal) ?? 0) + 1);
  const plain = items.filter(({ kind }) => kind === "plain");
  return merge([
    counted("plain questions answered", plain.filter(({ quotes }) => quotes.shown).length, plain.length, "1 of 10 before"),
    ...[...kinds].map(([kind, n]) => counted(`refused as ${kind}`, n, items.length, "with the writer")),
  ]);
};

const timing =
  (name: string, stage: string, claim: string): Claim =>
  (items) =>
    measured(name, p95(items, stage), "ms", `source claims ${claim}; 95th percentile on this machine`);

/** Claims of each source that these questions can test. */
const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  sourcebound: [sentences],
  "seven-layer": [costPerQuery("$0.015"), routed, weak, sentences],
  spark: [guard, ranking, costPerQuery("$0.027"), timing("retrieval", "retrieve", "150 + 200 ms with reranking"), sentences],
  "vg-rag": [buckets, sentences],
  validator: [grades, sentences],
  book: [refusals, sentences],
};

export function claimsOf(profile: string, items: readonly ProfileItem[]): ClaimSheet {
  return merge((CLAIMS[profile] ?? [sentences]).map((claim) => claim(items)));
}

function merge(sheets: readonly ClaimSheet[]): ClaimSheet {
  return {
    table: sheets.flatMap(({ table }) => table),
    metrics: Object.assign({}, ...sheets.map(({ metrics }) => metrics)),
    n: Object.assign({}, ...sheets.map(({ n }) => n)),
  };
}
