// Writes candidate lists for questions from the product's own retrieval: node lists.ts --help
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { alteredCopies } from "./altered.ts";
import type { Ask } from "./ask.ts";
import { type MadeDocument, makeDocument } from "./documents.ts";
import { type Labelled, label, type Row } from "./label.ts";
import { FOLDER_SETS, readFolderSet } from "./read-folders.ts";
import { PACK_SETS, readPackSet } from "./read-pack.ts";
import { rewordings } from "./reword.ts";
import { openIndex } from "./search.ts";
import { NamePool, twinsOf } from "./twins.ts";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    sets: { type: "string", default: [...PACK_SETS, ...FOLDER_SETS].join(",") },
    /** Maximum number of questions per set, at even intervals; 0: all. */
    limit: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
if (flags.help || flags.data === undefined || flags.out === undefined) {
  process.stderr.write("node lists.ts --data DIR --out DIR [--sets a,b] [--limit N]: writes passages-SET.jsonl and lists-SET.jsonl\n");
  process.exit(flags.help ? 0 : 2);
}

const encoder = loadEmbeddedEncoder();
mkdirSync(flags.out, { recursive: true });
for (const name of flags.sets.split(",")) await writeSet(name, flags.data, flags.out);

async function writeSet(name: string, data: string, out: string): Promise<void> {
  const set = isFolderSet(name) ? readFolderSet(name, data) : readPackSet(name, data);
  const made = set.documents.map(({ id, title, scope, pieces }) => makeDocument(id, title, scope, pieces));
  const asks = thin([...set.asks], Number(flags.limit));
  const index = await openIndex(made, encoder);
  const all = [...asks, ...rewordings(asks), ...twinsOf(asks, textOf(made))];
  const names = new NamePool(asks);
  const passages = new Map<string, { id: number; head: string; text: string }>();
  const rows: string[] = [];
  const counts = new Map<string, number>();
  const begun = performance.now();
  for (const [done, ask] of all.entries()) {
    const labelled = label(ask, await index.candidates(ask), index);
    const row =
      labelled === null ? null : { ...labelled, candidates: [...labelled.candidates, ...alteredCopies(ask, labelled.candidates, names)] };
    counts.set(row === null ? "dropped" : ask.form, (counts.get(row === null ? "dropped" : ask.form) ?? 0) + 1);
    if (row !== null) rows.push(JSON.stringify(toLine(name, ask, row, passages)));
    if (done % 1000 === 999)
      process.stderr.write(`${name}: ${done + 1} of ${all.length}, ${((performance.now() - begun) / (done + 1)).toFixed(1)} ms each\n`);
  }
  const lines = [...passages.values()].map((passage) => JSON.stringify({ ...passage, id: `${name}/${passage.id}`, set: name }));
  writeFileSync(join(out, `passages-${name}.jsonl.gz`), gzipSync(`${lines.join("\n")}\n`));
  writeFileSync(join(out, `lists-${name}.jsonl.gz`), gzipSync(`${rows.join("\n")}\n`));
  process.stderr.write(`${name}: ${rows.length} lists, ${passages.size} passages, ${JSON.stringify(Object.fromEntries(counts))}\n`);
}

function toLine(
  set: string,
  ask: Ask,
  { candidates, answerable }: Row,
  passages: Map<string, { id: number; head: string; text: string }>,
): object {
  const idOf = ({ head, text }: Labelled) => {
    const key = `${head}\n${text}`;
    const known = passages.get(key) ?? { id: passages.size, head, text };
    passages.set(key, known);
    return known.id;
  };
  return {
    ...{ set, group: ask.group, split: ask.split, form: ask.form, question: ask.question, answerable },
    candidates: candidates.map((one) => [idOf(one), one.label, one.spans, one.relevant]),
  };
}

function textOf(made: readonly MadeDocument[]): (key: string) => string {
  const texts = new Map(
    made.flatMap(({ document, places }) =>
      places.map((place) => [place.key, `${document.title}\n${document.text.slice(place.start, place.end)}`] as const),
    ),
  );
  return (key) => texts.get(key) ?? "";
}

function thin(asks: Ask[], limit: number): Ask[] {
  if (limit === 0 || asks.length <= limit) return asks;
  const step = asks.length / limit;
  return Array.from({ length: limit }, (_, i) => asks[Math.floor(i * step)] as Ask);
}

function isFolderSet(name: string): name is (typeof FOLDER_SETS)[number] {
  return (FOLDER_SETS as readonly string[]).includes(name);
}
