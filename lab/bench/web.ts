import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import {
  createEngine,
  type Engine,
  loadProcessConfig,
  type Passage,
  profileNamed,
  type Question,
  type WebVerdict,
} from "../../src/index.ts";
import {
  answerableSchema,
  askWeb,
  countRow,
  createFactReader,
  createShippedSupport,
  makeReport,
  PACKAGE_ROOT,
  parseFile,
  quantile,
  readGolden,
  retrievePassages,
  type WebParts,
} from "../../src/internals.ts";
import { embeddedIn } from "../../src/shared/config.ts";
import type { Benchmark } from "../commands/bench.ts";

const DOMAIN = "veterans";
const PASSAGES = 3;
const PROFILE = profileNamed("sourcebound");
const DEMO = join(PACKAGE_ROOT, "domains", DOMAIN);
const VERDICTS: readonly WebVerdict[] = ["confirmed", "contradicted", "silent"];

/** Compares web verdicts on passages and on the same passages with changed numbers. Our own retrieval replaces the web search service. */
export const benchmark: Benchmark = {
  description: "passages against pages of the web, as they are and changed (--pages DIR, --documents DIR, --golden DIR, --support on|off)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        pages: { type: "string", default: DEMO },
        documents: { type: "string", default: DEMO },
        golden: { type: "string", default: join(DEMO, "golden") },
        support: { type: "string", default: "on" },
      },
    });
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const [documents, pages] = [await open(join(folder, "documents"), values.documents), await open(join(folder, "pages"), values.pages)];
    try {
      const web = webOf(pages, values.pages, values.support === "on");
      const counts = { plain: emptyCounts(), changed: emptyCounts() };
      const items: Record<string, unknown>[] = [];
      const ms: number[] = [];
      const questions = readGolden(values.golden, answerablePrefix(values.golden), answerableSchema);
      const corpus = documents.corpus(DOMAIN);
      for (const [i, { id, question }] of questions.entries()) {
        if (i % 10 === 0) progress(`${i}/${questions.length} questions`);
        const { asked } = await corpus.understand(questionOf(question), PROFILE.retrieve.query);
        const found = (await retrieve(documents, question)).slice(0, PASSAGES);
        for (const kind of ["plain", "changed"] as const) {
          for (const passage of found) {
            const begun = performance.now();
            const passages = [kind === "plain" ? passage : withChangedNumbers(passage)];
            const about = questionOf(question);
            const words = await corpus.wordsIn(about.scope, [question, passage.document.title, ...passage.headingPath, passage.text]);
            const { evidence } = await askWeb(about, asked, passages, words, web, new AbortController().signal);
            ms.push(performance.now() - begun);
            const [said] = evidence;
            if (said === undefined) continue;
            const [page] = said.pages;
            const counted = counts[kind];
            counted[said.verdict]++;
            if (said.verdict === "confirmed" && /\d/.test(page?.claim ?? "")) counted.confirmed_on_numbers++;
            items.push({ id, kind, verdict: said.verdict, query: said.query, claim: page?.claim ?? null, quote: page?.quote ?? null });
          }
        }
      }
      const total = items.length / 2;
      return {
        report: makeReport({
          name: "web",
          command: `bench web ${args.join(" ")}`.trim(),
          n: { questions: questions.length, passages: total },
          metrics: Object.fromEntries(
            Object.entries(counts).flatMap(([kind, counted]) => Object.entries(counted).map(([name, n]) => [`${kind}.${name}`, n])),
          ),
          timings: { passage_ms_median: quantile(ms, 0.5), passage_ms_p95: quantile(ms, 0.95) },
          items,
        }),
        table: [
          ...(["plain", "changed"] as const).flatMap((kind) => [
            ...VERDICTS.map((verdict) => countRow(`${kind}: ${verdict}`, counts[kind][verdict], total)),
            countRow(`${kind}: confirmed on a statement with a number`, counts[kind].confirmed_on_numbers, total),
          ]),
          {
            name: "one passage, median",
            figure: `${(quantile(ms, 0.5) ?? 0).toFixed(0)} ms`,
            note: "search and three pages of text; no network, no HTML",
          },
        ],
      };
    } finally {
      await Promise.all([documents.close(), pages.close()]);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function emptyCounts() {
  return { confirmed: 0, contradicted: 0, silent: 0, confirmed_on_numbers: 0 };
}

function answerablePrefix(folder: string): string {
  return folder === join(DEMO, "golden") ? "demo-answerable" : "va-answerable";
}

async function open(dataDir: string, documents: string): Promise<Engine> {
  const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: DOMAIN }), dataDir));
  if (documents === DEMO) for await (const _event of engine.ingestDomain(DOMAIN));
  else for await (const _event of engine.ingest(join(documents, "pages"), { root: documents }));
  await engine.corpus(DOMAIN).ready();
  return engine;
}

function questionOf(text: string): Question {
  const scope = { domain: DOMAIN, tenant: null, access: ["public"] };
  const rest = { profile: PROFILE.name, detail: "normal", sessionId: null, selection: null, history: [], injectionSignals: [] } as const;
  return { text, resolved: text, scope, ...rest };
}

async function retrieve(engine: Engine, text: string): Promise<readonly Passage[]> {
  const signal = new AbortController().signal;
  return (await retrievePassages(questionOf(text), PROFILE.retrieve, await engine.pipelineContext(DOMAIN, PROFILE.name), signal)).passages;
}

/** Creates a web of local files; a fetched page is parsed from its file. */
function webOf(pages: Engine, root: string, support: boolean): WebParts {
  const paths = new Map<string, string>();
  return {
    search: {
      id: "retrieval",
      async search(query) {
        const found = (await retrieve(pages, query)).flatMap(({ document: { url, path } }) => (url === null ? [] : [{ url, path }]));
        for (const { url, path } of found) paths.set(url, path);
        return [...new Set(found.map(({ url }) => url))].map((url) => ({ url, title: "", snippet: "" }));
      },
    },
    hosts: pages.domain(DOMAIN).hosts,
    fetchPage: async (url) => ({ url, type: "text", charset: null, bytes: new Uint8Array() }),
    async readPage({ url }) {
      const path = paths.get(url) ?? "";
      const [page] = parseFile({ path, bytes: readFileSync(join(root, path)) });
      return { title: page?.metadata.title ?? "", text: page?.text ?? "", blocks: page?.blocks ?? [], units: page?.units ?? [] };
    },
    support: support ? createShippedSupport() : null,
    reader: createFactReader(),
    now: () => new Date(0),
    passages: 1,
    timeoutMs: 60_000,
  };
}

/** Replaces the first digit of every number. The length stays the same, so that offsets of units remain valid. */
function withChangedNumbers(passage: Passage): Passage {
  const text = passage.text.replaceAll(/\d+/g, (number) => `${(Number(number[0]) % 9) + 1}${number.slice(1)}`);
  return { ...passage, text, chunkId: `${passage.chunkId} changed` };
}
