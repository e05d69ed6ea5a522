import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readGoldenFolder } from "../../src/grading/read-golden-files.ts";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { makeReport, quantile } from "../../src/internals.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { ConfigError } from "../../src/shared/errors.ts";
import type { Benchmark } from "../commands/bench.ts";

const DOMAINS = ["veterans", "retail", "pharma"] as const;

interface Asked {
  readonly domain: string;
  readonly question: string;
  readonly tenant: string | null;
}

interface Answered {
  /** Status, and quotes with their offsets. */
  readonly shown: string;
  readonly ms: number;
}

/** Asks the same questions on each search engine, and compares what is shown with the embedded one. */
export const benchmark: Benchmark = {
  description:
    "the same questions of three packs on the embedded engine, pgvector and OpenSearch (--database URL, an empty one; --opensearch URL, repeated with commas; --questions 100 a pack)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { database: { type: "string" }, opensearch: { type: "string" }, questions: { type: "string", default: "100" } },
    });
    if (values.database === undefined && values.opensearch === undefined)
      throw new ConfigError("config_invalid", "Name another engine: bench engines --database URL --opensearch URL");
    const asked = DOMAINS.flatMap((domain) => questionsOf(domain, Number(values.questions)));
    const ask = (name: string, settings: Record<string, unknown>) =>
      answerAll(asked, settings, (done) => progress(`${name}: ${done} of ${asked.length}`));
    const embedded = await ask("embedded", {});
    const others: Record<string, readonly Answered[]> = {};
    if (values.database !== undefined)
      others.pgvector = await ask("pgvector", { database: { url: values.database, vectors: "pgvector", vectors_from: 1 } });
    if (values.opensearch !== undefined) {
      const url = values.opensearch.split(",");
      others.opensearch = await ask("opensearch", { search: { type: "opensearch", url, prefix: `engines-${process.pid}` } });
    }
    const differences = Object.entries(others).flatMap(([engine, answers]) =>
      answers.flatMap(({ shown }, i) =>
        shown === embedded[i]?.shown ? [] : [{ engine, ...asked[i], embedded: embedded[i]?.shown, shown }],
      ),
    );
    const median = (answers: readonly Answered[]) =>
      (
        quantile(
          answers.map(({ ms }) => ms).sort((a, b) => a - b),
          0.5,
        ) ?? 0
      ).toFixed(0);
    return {
      report: makeReport({
        ...{ name: "engines", command: `bench engines ${args.join(" ")}`, n: { questions: asked.length } },
        items: differences,
      }),
      table: [
        { name: "embedded", figure: `${asked.length} questions`, note: `median ${median(embedded)} ms` },
        ...Object.entries(others).map(([engine, answers]) => ({
          name: engine,
          figure: `${answers.length - differences.filter((one) => one.engine === engine).length} equal`,
          note: `median ${median(answers)} ms`,
        })),
        ...differences.map(({ engine, question }) => ({ name: `  ${engine} differs`, figure: question ?? "" })),
      ],
    };
  },
};

/** Takes questions at even intervals from the answerable and unanswerable ones of a pack. */
function questionsOf(domain: string, count: number): Asked[] {
  const { answerable, unanswerable } = readGoldenFolder(join(PACKAGE_ROOT, "domains", domain, "golden"));
  const all = [...answerable, ...unanswerable];
  const wanted = Math.min(count, all.length);
  return Array.from({ length: wanted }, (_, i) => all[Math.floor((i * all.length) / wanted)]).flatMap((one) =>
    one === undefined ? [] : [{ domain, question: one.question, tenant: one.tenant }],
  );
}

async function answerAll(
  asked: readonly Asked[],
  settings: Record<string, unknown>,
  progress: (done: number) => void,
): Promise<Answered[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  const engine = await createEngine(loadProcessConfig({ data_dir: dataDir, "cache.enabled": false, ...settings }));
  try {
    for (const domain of DOMAINS) {
      for await (const event of engine.ingestDomain(domain))
        if (event.type === "file-failed" || event.type === "index-failed") throw new Error(JSON.stringify(event));
    }
    const answers: Answered[] = [];
    for (const { domain, question, tenant } of asked) {
      const { status, citations, latencyMs } = await engine.answer(question, { domain, ...(tenant === null ? {} : { tenant }) });
      answers.push({ shown: [status, ...citations.map(({ start, quote }) => `${start}: ${quote}`)].join("\n"), ms: latencyMs });
      if (answers.length % 50 === 0) progress(answers.length);
    }
    return answers;
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
