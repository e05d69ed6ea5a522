import { type Measured, measured } from "./measurements.ts";

/** Answers a second for which processors are counted. */
const RATES = [20, 100, 500, 3_000];
/** Windows for which memory is counted. */
const WINDOWS = [10_000, 100_000, 1_000_000];
/** Bytes of the words of a window (lab/log/speed.md, "Beside other libraries": 190 MB for 100,000). */
const WORD_BYTES = 1_900;
const SIZES = [1_000, 10_000, 100_000];
const SEARCHES: readonly (readonly [string, string])[] = [
  ["embedded", "in the process"],
  ["no_index", "pgvector, no index"],
  ["HNSW_m_16", "pgvector, HNSW m=16"],
  ["HNSW_m_24", "pgvector, HNSW m=24"],
];

const fixed = (value: number | null | undefined, digits = 0) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const thousands = (value: number) => value.toLocaleString("en");
const when = ({ command, date, versions }: Measured) => `\`./run ${command}\`, ${date.slice(0, 10)}, Node ${versions.node}`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [`| ${heads.join(" | ")} |`, `|${" --- |".repeat(heads.length)}`, ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}

function phaseTable({ timings, n }: Measured): string {
  const names = Object.keys(timings).flatMap((key) => /^(.+)\.per_second$/.exec(key)?.[1] ?? []);
  return table(
    [
      "phase",
      "connections",
      "answers",
      "a second",
      "of hello",
      "processor, ms each",
      "p50, ms",
      "p99 / p50",
      "lost",
      "sent away",
      "`/healthz` p99, ms",
      "memory, MiB",
    ],
    names.map((name) => {
      const of = (figure: string) => timings[`${name}.${figure}`];
      const memory = ["begin", "middle", "end"].map((part) => fixed(of(`memory_mib_${part}`))).join(" → ");
      return [
        ...[name.replace("_few", ""), String(name.endsWith("_few") ? n.few : n.connections), thousands(n[name] ?? 0)],
        ...[fixed(of("per_second")), fixed(of("of_hello"), 4), fixed(of("processor_ms"), 2), fixed(of("ms_p50"), 1)],
        ...[fixed(of("p99_over_p50"), 1), fixed(of("lost")), fixed(of("refused")), fixed(of("health_ms_p99")), memory],
      ];
    }),
  );
}

/** Processors that a rate of answers keeps busy. */
function processorTable({ timings }: Measured): string {
  const [hit, fresh] = [timings["hits.processor_ms"] ?? Number.NaN, timings["fresh.processor_ms"] ?? Number.NaN];
  const busy = (rate: number, ms: number) => `${((rate * ms) / 1000).toFixed(1)} = ${thousands(rate)} × ${ms.toFixed(2)} ms`;
  return table(
    ["answers a second", "processors, all of them exact hits", "processors, all of them new answers of quotes"],
    RATES.map((rate) => [thousands(rate), busy(rate, hit), busy(rate, fresh)]),
  );
}

function memoryTable(vectors: Measured, serve: Measured): string {
  const base = serve.timings["hits.memory_mib_end"] ?? Number.NaN;
  const perWindow = (1e6 * (vectors.metrics["100000.embedded.megabytes"] ?? Number.NaN)) / 100_000 + WORD_BYTES;
  return table(
    ["windows", "memory of a replica", "arithmetic"],
    WINDOWS.map((windows) => [
      thousands(windows),
      `${((base * 1024 ** 2 + windows * perWindow) / 1e9).toFixed(2)} GB`,
      `${base.toFixed(0)} MiB + ${thousands(windows)} × ${(perWindow / 1000).toFixed(2)} kB`,
    ]),
  );
}

function searchTable({ timings, metrics }: Measured): string {
  const rows = SIZES.flatMap((size) =>
    SEARCHES.map(([key, name]) => {
      const time = (figure: string) => timings[`${size}.${key}.${figure}`];
      const metric = (figure: string) => metrics[`${size}.${key}.${figure}`];
      return [
        ...[`${thousands(size)}, ${name}`, fixed(time("singleMs"), 2), fixed(time("batchPerS")), fixed(time("concurrentMs"), 2)],
        ...[fixed(metric("recall"), 3), fixed(time("buildS"), 1), fixed(metric("megabytes"))],
      ];
    }),
  );
  return table(
    [
      "384 dimensions, top 10",
      "one question, median ms",
      "500 in turn, a second",
      "four at once, median ms",
      "recall@10",
      "built in, s",
      "MB",
    ],
    rows,
  );
}

/** How much a machine answers and holds, by arithmetic from reports of the benches. */
export function capacityLog(made: string): string {
  const [serve, vectors] = [measured("serve"), measured("pgvector")];
  return [
    `${made}# Log: capacity, computed from measurements`,
    "Two cores that others used at the same time ([how much](speed.md#the-server-under-load)): answers a second and milliseconds by the clock are no speed figures, and processors' time is more than on a quiet machine. What scales how: [scale](../../docs/scale.md).",
    "## One server under load",
    `${when(serve)}. Load from a second process on the demo documents; hello: a bare server of the same kind; hits: one question again and again, each answer checked to be an exact hit; fresh: questions that are answered, in turn, without a cache, each checked to be answered anew.`,
    phaseTable(serve),
    "## Processors",
    processorTable(serve),
    "Answers of a model are bound by the model. Each answer is committed before it is sent; answers that wait share a commit.",
    "## Memory",
    memoryTable(vectors, serve),
    "## Vectors in PostgreSQL",
    `${when(vectors)}. Generated vectors around 400 topics; medians of 100, 500 and 200 questions.`,
    searchTable(vectors),
    "",
  ].join("\n\n");
}
