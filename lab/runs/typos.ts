import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../../src/engine/engine.ts";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { createRandom, type Random } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { embeddedIn } from "../../src/shared/config.ts";
import { tokenize } from "../../src/text/tokens.ts";
import { hitAt } from "./ranking-metrics.ts";
import { type EvaluateEvent, ingestCorpus, rankPages, type VaOptions } from "./va.ts";

/** Misspelt versions per question. */
const VERSIONS = 5;
const SEED = 20_190_404;
/** Share of misspelt content words; each question has at least one. */
const SHARE = 0.5;
/** Minimum word length; a shorter word is unrecognisable after an edit. */
const MIN_LETTERS = 5;
const K = 5;

const CONDITIONS = ["clean.unrepaired", "clean.repaired", "typos.unrepaired", "typos.repaired"] as const;
type Condition = (typeof CONDITIONS)[number];

/** Measures spelling correction: pages among the first five for golden questions as written and with seeded typos in content words. */
export async function* evaluateTypos(options: VaOptions): AsyncGenerator<EvaluateEvent, void> {
  const golden = readGolden(options.golden, "va-answerable", answerableSchema);
  const random = createRandom(SEED);
  const asked = golden.flatMap((item) => [
    { item, text: item.question, typos: false },
    ...Array.from({ length: VERSIONS }, () => ({ item, text: withTypos(item.question, random), typos: true })),
  ]);
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-eval-"));
  const engine = await createEngine(embeddedIn(options.config, dataDir));
  const profile = profileNamed(options.profile ?? engine.config.profile ?? engine.domain(options.domain).default_profile);
  const hits = new Map<Condition, number>(CONDITIONS.map((condition) => [condition, 0]));
  const items: Record<string, unknown>[] = [];
  try {
    yield { type: "progress", done: 0, total: asked.length, what: "ingesting" };
    await ingestCorpus(engine, options);
    for (const [at, { item, text, typos }] of asked.entries()) {
      const found: Record<string, boolean> = {};
      for (const repair of [false, true]) {
        const condition: Condition = `${typos ? "typos" : "clean"}.${repair ? "repaired" : "unrepaired"}`;
        const retrieve = { query: { ...profile.retrieve.query, repair } };
        const pages = await rankPages(engine, text, { ...options, retrieve });
        const hit = hitAt(pages, new Set(item.gold_pages), K);
        hits.set(condition, (hits.get(condition) ?? 0) + hit);
        found[repair ? "repaired" : "unrepaired"] = hit === 1;
      }
      items.push({ id: item.id, question: text, typos, ...found });
      yield { type: "progress", done: at + 1, total: asked.length, what: text };
    }
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const n = { clean: golden.length, typos: golden.length * VERSIONS };
  yield { type: "report", ...summarize(options.command, n, hits, items) };
}

function summarize(
  command: string,
  n: { readonly clean: number; readonly typos: number },
  hits: ReadonlyMap<Condition, number>,
  items: Report["items"],
): { report: Report; table: TableRow[] } {
  const sizeOf = (condition: Condition) => (condition.startsWith("clean") ? n.clean : n.typos);
  const table = CONDITIONS.map((condition) => countRow(`hit@${K}.${condition}`, hits.get(condition) ?? 0, sizeOf(condition)));
  const metrics = Object.fromEntries(
    CONDITIONS.map((one) => [`hit@${K}.${one}`, sizeOf(one) === 0 ? null : (hits.get(one) ?? 0) / sizeOf(one)]),
  );
  return { report: makeReport({ name: "typos", command, seed: SEED, n, metrics, items }), table };
}

/** Makes one edit in about half of a question's content words. */
export function withTypos(question: string, random: Random): string {
  const places = [...question.matchAll(/[a-z]+/gi)].filter(([word]) => word.length >= MIN_LETTERS && tokenize(word).length > 0);
  const sure = Math.floor(random() * places.length);
  let written = "";
  let at = 0;
  for (const [i, match] of places.entries()) {
    if (random() >= SHARE && i !== sure) continue;
    written += question.slice(at, match.index) + misspell(match[0], random);
    at = match.index + match[0].length;
  }
  return written + question.slice(at);
}

const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/** Makes one edit after the first letter: swaps, omits, doubles, or replaces a letter by its neighbour on the keyboard. */
function misspell(word: string, random: Random): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const letter = word[at] as string;
  switch (Math.floor(random() * 4)) {
    case 0:
      return word.slice(0, at) + word[at + 1] + letter + word.slice(at + 2);
    case 1:
      return word.slice(0, at) + word.slice(at + 1);
    case 2:
      return word.slice(0, at) + letter + word.slice(at);
    default: {
      const row = KEYS.find((keys) => keys.includes(letter.toLowerCase())) ?? "asdfghjkl";
      const place = row.indexOf(letter.toLowerCase());
      return word.slice(0, at) + (row[place + 1] ?? row[place - 1] ?? letter) + word.slice(at + 1);
    }
  }
}
