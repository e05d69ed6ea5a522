import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { comparePassages } from "../../src/evidence/compare-passages.ts";
import { createFactReader, type FactReader, type FactWords } from "../../src/evidence/facts.ts";
import { type ScannedDocument, scanConflicts } from "../../src/evidence/scan-conflicts.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { type ParsedDocument, parseFile } from "../../src/ingest/parse.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { Conflict, Passage } from "../../src/shared/types.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { unitsIn } from "../../src/text/units.ts";
import { type Mutation, mutate } from "../made/mutations.ts";
import { markdownFiles } from "../sets/markdown-files.ts";
import { createMemoryCorpus, scopeInSet } from "../sets/memory-corpus.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ConflictsOptions {
  /** Folder with `pages/`. */
  readonly corpus: string;
  readonly golden: string;
  /** Folder of further sets; without it only the golden pairs and the scan are measured. */
  readonly data?: string | undefined;
  readonly command: string;
  readonly signal: AbortSignal;
}

const pairSchema = z.object({
  id: z.string(),
  passage_a: z.string(),
  passage_b: z.string(),
  question: z.string(),
  contradicts: z.boolean(),
  kind: z.string(),
});

/** Number of conflicts of the scan printed for manual review. */
const SHOWN = 20;
const SEED = 11;
/** Number of mutated sentences per further set. */
const SENTENCES = 200;

interface Measured {
  readonly n: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly table: readonly TableRow[];
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly timings?: Readonly<Record<string, number>>;
}

/** `eval conflicts`: measures golden pairs, a scan of the corpus for manual review, and generated contradictions in other corpora. */
export async function* evaluateConflicts({ corpus, golden, data, command, signal }: ConflictsOptions): AsyncGenerator<EvaluateEvent, void> {
  const pages = readPages(corpus);
  const words = await wordsOf(pages.map(({ id, title, text }) => ({ id, title, text })));
  const reader = createFactReader();
  const measured: Measured[] = [measurePairs(golden, words, reader)];
  for await (const event of scanConflicts(each(pages), words, { total: pages.length, precedence: [], signal })) {
    if (event.type === "progress") yield { ...event, what: "pages scanned" };
    else measured.push(shownScan(event.conflicts, event));
  }
  if (data !== undefined) {
    for (const [set, load] of Object.entries(SETS)) {
      yield { type: "progress", done: 0, total: SENTENCES, what: `${set}: contradictions made` };
      measured.push(await measureMade(set, load(data), signal));
    }
  }
  yield {
    type: "report",
    report: makeReport({
      name: "conflicts",
      command,
      seed: SEED,
      n: Object.assign({}, ...measured.map(({ n }) => n)),
      metrics: Object.assign({}, ...measured.map(({ metrics }) => metrics)),
      items: measured.flatMap(({ items }) => items),
    }),
    table: measured.flatMap(({ table }) => table),
  };
}

/** Measures recall and precision on pairs of passages, with the comparison used for a question's passages. */
function measurePairs(golden: string, words: FactWords, reader: FactReader): Measured {
  const rows = readGolden(golden, "va-conflicts", pairSchema).map((row) => {
    const passages = [toPassage("S1", row.passage_a), toPassage("S2", row.passage_b)];
    const { conflicts } = comparePassages(words.tokens(row.question), passages, { words, reader, precedence: [] });
    return { row, found: conflicts[0] ?? null };
  });
  const positives = rows.filter(({ row }) => row.contradicts);
  const flagged = rows.filter(({ found }) => found !== null);
  const right = positives.filter(({ found }) => found !== null).length;
  const wrong = flagged.length - right;
  return {
    n: { conflicts: positives.length, others: rows.length - positives.length },
    metrics: { recall: share(right, positives.length), precision: share(right, flagged.length), "others.flagged": wrong },
    table: [
      countRow(
        "contradictions found (recall)",
        right,
        positives.length,
        "development; six of 12 differ in a value, the others in words, which are not compared",
      ),
      countRow("of those flagged (precision)", right, flagged.length),
      countRow("others flagged", wrong, rows.length - positives.length, "aim: at most 1 of 8"),
    ],
    items: rows.map(({ row, found }) => ({
      id: row.id,
      kind: row.kind,
      contradicts: row.contradicts,
      found: found === null ? null : brief(found),
    })),
  };
}

function shownScan(conflicts: readonly Conflict[], { statements, compared }: { statements: number; compared: number }): Measured {
  return {
    n: { "scan.statements": statements, "scan.compared": compared, "scan.found": conflicts.length },
    metrics: {},
    table: [
      {
        name: "scan of the corpus",
        figure: `${conflicts.length}`,
        note: `${statements} statements, ${compared} pairs compared; to be read:`,
      },
      ...conflicts.slice(0, SHOWN).flatMap((conflict, i) => [
        { name: `  ${i + 1}. ${conflict.kind}`, figure: conflict.certainty.toFixed(2), note: conflict.about },
        ...conflict.sides.map(({ documentId, value, quote }) => ({
          name: `     [${value}] ${documentId}:`,
          figure: "",
          note: quote.replaceAll(/\s+/g, " "),
        })),
      ]),
    ],
    items: conflicts.slice(0, SHOWN).map((conflict, i) => ({ scan: i + 1, ...brief(conflict), sides: conflict.sides })),
  };
}

interface SetPassage {
  readonly id: string;
  readonly document: string;
  readonly text: string;
}

/** Sets that were not used for tuning. */
const SETS: Readonly<Record<string, (data: string) => SetPassage[]>> = {
  policyqa: (data) =>
    readGolden(join(data, "policyqa"), "passages", z.object({ passage_id: z.string(), site: z.string(), text: z.string() })).map(
      ({ passage_id, site, text }) => ({ id: passage_id, document: site, text }),
    ),
  medquad: (data) =>
    readGolden(join(data, "medquad"), "medquad", z.object({ id: z.string(), document_id: z.string(), answer: z.string() })).map(
      ({ id, document_id, answer }) => ({ id, document: document_id, text: answer }),
    ),
};

/** Compares a passage with a copy (unchanged, one value changed, one sentence negated) and with another section, also as two editions. */
async function measureMade(set: string, all: readonly SetPassage[], signal: AbortSignal): Promise<Measured> {
  const passages = all.filter(({ text }) => text.length > 200 && text.length < 4000);
  const words = await wordsOf(all.map(({ id, text }) => ({ id, title: "", text })));
  const reader = createFactReader();
  const random = createRandom(SEED);
  const siblings = new Map<string, SetPassage[]>();
  for (const passage of passages) siblings.set(passage.document, [...(siblings.get(passage.document) ?? []), passage]);
  const counts = { value: [0, 0], negation: [0, 0], copy: [0, 0], section: [0, 0] };
  const items: Record<string, unknown>[] = [];
  const asEditions = { value: [0, 0], negation: [0, 0], copy: [0, 0], section: [0, 0] };
  const compare = (sentence: string, a: Passage, b: Passage) =>
    comparePassages(words.tokens(sentence), [a, b], { words, reader, precedence: [] }).conflicts[0];
  const record = (kind: keyof typeof counts, sentence: string, a: string, b: string, id: string) => {
    const found = compare(sentence, toPassage("S1", a), toPassage("S2", b));
    const edition = compare(sentence, toPassage("S1", a, "Guide 2024"), toPassage("S2", b, "Guide 2025"));
    for (const [count, one] of [
      [counts[kind], found],
      [asEditions[kind], edition],
    ] as const) {
      count[1] = (count[1] ?? 0) + 1;
      if (one !== undefined) count[0] = (count[0] ?? 0) + 1;
    }
    if ((found !== undefined) !== (kind === "value" || kind === "negation"))
      items.push({
        set,
        id,
        kind,
        sentence,
        found: found === undefined ? null : brief(found),
        sides: found?.sides.map(({ quote }) => quote) ?? [],
      });
  };
  for (let i = 0; i < SENTENCES * 4 && (counts.value[1] ?? 0) < SENTENCES; i++) {
    signal.throwIfAborted();
    const passage = passages[Math.floor(random() * passages.length)];
    if (passage === undefined) break;
    const sentences = splitSentences(passage.text)
      .map(({ start, end }) => passage.text.slice(start, end))
      .filter((sentence) => (sentence.match(/\p{L}{2,}/gu)?.length ?? 0) >= 6 && sentence.length < 600 && !sentence.endsWith("?"));
    const valued = sentences.filter((sentence) => made("value", sentence, passage.text, random) !== null);
    for (const [kind, list] of [
      ["value", valued],
      ["negation", sentences],
    ] as const) {
      const sentence = list[Math.floor(random() * list.length)];
      const changed = sentence === undefined ? null : made(kind, sentence, passage.text, random);
      if (sentence !== undefined && changed !== null)
        record(
          kind,
          sentence,
          passage.text,
          passage.text.replace(sentence, () => changed),
          passage.id,
        );
    }
    const any = sentences[Math.floor(random() * sentences.length)];
    if (any === undefined) continue;
    record("copy", any, passage.text, passage.text, passage.id);
    const others = (siblings.get(passage.document) ?? []).filter(({ id }) => id !== passage.id);
    const other = others[Math.floor(random() * others.length)];
    if (other !== undefined) record("section", any, passage.text, other.text, passage.id);
  }
  const [plain, editions] = [rowsOfMade(set, counts), rowsOfMade(`${set}.editions`, asEditions)];
  return {
    n: { ...plain.n, ...editions.n },
    metrics: { ...plain.metrics, ...editions.metrics },
    table: [...plain.table, ...editions.table],
    items,
  };
}

/** Flagged and total pairs by kind. */
type MadeCounts = Readonly<Record<"value" | "negation" | "copy" | "section", readonly number[]>>;

function rowsOfMade(set: string, counts: MadeCounts): Pick<Measured, "n" | "metrics" | "table"> {
  const row = (name: string, [hits = 0, n = 0]: readonly number[], note: string) => countRow(`${set}: ${name}`, hits, n, note);
  return {
    n: Object.fromEntries(Object.entries(counts).map(([kind, [, n = 0]]) => [`${set}.${kind}`, n])),
    metrics: Object.fromEntries(Object.entries(counts).map(([kind, [hits = 0, n = 0]]) => [`${set}.${kind}`, share(hits, n)])),
    table: [
      row("value changed, found", counts.value, "a copy of the passage with one value changed"),
      row("statement denied, found", counts.negation, 'a copy with "not" put in or taken out of one sentence'),
      row("exact copy, flagged", counts.copy, "should be none"),
      row("other section, flagged", counts.section, "another passage of the same document; should be none"),
    ],
  };
}

function made(kind: Extract<Mutation, "value" | "negation">, sentence: string, passage: string, random: () => number): string | null {
  return mutate(kind, sentence, passage, { text: "" }, random);
}

function brief({ about, kind, certainty, sides }: Conflict) {
  return { about, type: kind, certainty: Number(certainty.toFixed(4)), values: sides.map(({ value }) => value) };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

async function wordsOf(documents: readonly { id: string; title: string; text: string }[]): Promise<FactWords> {
  const corpus = await createMemoryCorpus(
    documents.map((document) => ({ ...document, scope: null, path: "document.md" })),
    null,
  );
  return corpus.wordsIn(
    scopeInSet(null),
    documents.flatMap(({ title, text }) => [title, text]),
  );
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

/** @throws RequestError `corpus_missing` */
function readPages(corpus: string): ScannedDocument[] {
  const folder = join(corpus, "pages");
  let names: string[];
  try {
    names = markdownFiles(folder);
  } catch (cause) {
    throw new RequestError(
      "corpus_missing",
      `There is no folder ${folder}. Give a folder with \`pages/\` with --corpus DIR.`,
      {},
      { cause },
    );
  }
  return names.flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    return parseFile({ path: `pages/${name}`, bytes }).map(toScanned);
  });
}

function toScanned({ path, metadata, text, units, blocks }: ParsedDocument): ScannedDocument {
  const { title, url, asOf, authority } = metadata;
  return { id: path, version: "1", title, url, asOf, authority, text, units, blocks };
}

/** Makes a passage of a separate document from a text. */
function toPassage(sid: string, source: string, title = ""): Passage {
  const [parsed] = parseFile({ path: `${sid}.txt`, bytes: Buffer.from(source) });
  const { text, blocks } = parsed ?? { text: "", blocks: [] };
  const range = { start: 0, end: text.length };
  const face = { title, url: null, asOf: null, authority: null, originalHash: "", normaliser: "", sourceMap: [] };
  return {
    sid,
    chunkId: sid,
    document: { id: sid, path: sid, version: sha256Hex(source), blocks, ...face },
    headingPath: [],
    range,
    window: range,
    text,
    units: parsed === undefined ? [] : unitsIn(parsed),
    scores: { dense: null, bm25: null, fused: 0, cross: null },
  };
}
