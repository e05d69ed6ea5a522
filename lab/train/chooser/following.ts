// Reads what follows the piece that is chosen for a question: node following.js --written DIR --unseen written.jsonl.gz --out following.jsonl
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";
import { QUOTE_CHARACTERS } from "../../../src/answer/choose.ts";
import { openSharedReader } from "../../../src/reader/shared-reader.ts";
import { choosePieces } from "../../../src/write/choose.ts";
import { readChooserWeights } from "../../../src/write/chooser-weights.ts";
import { readFollowing } from "../../../src/write/read-pieces.ts";
import { createParts } from "../../runs/extract.ts";
import { openMeasuring, toQuestion } from "./evidence.ts";
import { readWrittenSets } from "./written.ts";

/** Questions of this kind are other wordings of those that are asked. */
const REWORDED = "reworded";

const { values: flags } = parseArgs({
  options: {
    written: { type: "string" },
    /** Rows with what a reader said of those that it did not see: only the collections of these are asked. */
    unseen: { type: "string" },
    out: { type: "string" },
  },
});
if (flags.written === undefined || flags.out === undefined) throw new Error("give --written and --out");
const unseen = flags.unseen === undefined ? null : await setsRead(flags.unseen);
const { encoder, embed, reranker, findEvidence } = openMeasuring();
const weights = readChooserWeights();
const reader = openSharedReader();
const readTexts = reader.read.bind(reader);
const { signal } = new AbortController();
const options = { maxCharacters: QUOTE_CHARACTERS, reranker, embed, weights, read: readTexts, signal };
const file = createWriteStream(flags.out);
for (const { name, documents, questions } of readWrittenSets(flags.written)) {
  if (unseen !== null && !unseen.has(name)) continue;
  const parts = await createParts({ documents }, encoder, reranker);
  for (const { question, kind, answers } of questions.filter((one) => one.kind !== REWORDED)) {
    const found = await findEvidence(toQuestion({ question, scope: null }), null, parts, signal);
    if (found === null) continue;
    const choice = await choosePieces(question, found.evidence, found.words, options);
    const following = await readFollowing(question, choice, { readTexts, signal });
    if (following === null) continue;
    const { evidence, piece } = (choice.pieces[0] as typeof following.piece).view;
    const { id } = evidence.passage.document;
    const y = Number(answers(id, following.piece.view.piece.range));
    // As in the rows of `dump.ts`.
    const place = `${id} ${piece.range.start}`;
    file.write(`${JSON.stringify({ set: name, question, kind, place, y, x: following.values })}\n`);
  }
  process.stderr.write(`${name}: ${questions.length} questions\n`);
}
file.end();
await finished(file);
await reader.close();

/** Names of the sets whose pieces were read. */
async function setsRead(rows: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(rows).pipe(createGunzip()) })) {
    const name = /^\{"set": ?"([^"]+)"/.exec(line)?.[1];
    if (name !== undefined && /"cross": ?/.test(line)) names.add(name);
  }
  return names;
}
