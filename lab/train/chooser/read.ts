import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { scoreOf } from "../../../src/models/weights/scorer.ts";
import { openSharedReader } from "../../../src/reader/shared-reader.ts";
import { readChooserWeights } from "../../../src/write/chooser-weights.ts";
import { dot, READ_PIECES } from "../../../src/write/read-pieces.ts";

/** Reads the best pieces of the questions that `dump.ts --texts` wrote: `read.js --rows texts.jsonl.gz --weights chooser.json --out read.jsonl.gz`. */
const { values: flags } = parseArgs({
  options: { rows: { type: "string" }, weights: { type: "string" }, out: { type: "string" } },
});
if (flags.rows === undefined || flags.out === undefined)
  throw new Error("give --rows and --out; --weights are those that ship unless given");

const headSchema = z.object({ features: z.array(z.string()) });
const questionSchema = z.looseObject({
  question: z.string(),
  pieces: z.array(z.looseObject({ x: z.array(z.number().nullable()), text: z.string() })),
});

const { piece } = readChooserWeights(flags.weights);
const reader = openSharedReader();
const out = createGzip();
out.pipe(createWriteStream(flags.out));
let places: number[] | null = null;
let count = 0;
for await (const line of createInterface({ input: createReadStream(flags.rows).pipe(createGunzip()) })) {
  if (places === null) {
    const { features } = headSchema.parse(JSON.parse(line));
    places = piece.features.map((name) => features.indexOf(name));
    if (places.includes(-1)) throw new Error("the rows hold other features than the weights take: dump them again with this version");
    out.write(`${line}\n`);
    continue;
  }
  const question = questionSchema.parse(JSON.parse(line));
  const values = (x: readonly (number | null)[]) => (places ?? []).map((place) => x[place] ?? null);
  const first = question.pieces
    .map((one) => ({ ...one, score: scoreOf(values(one.x), piece) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, READ_PIECES);
  const [asked, ...vectors] = await reader.read([question.question, ...first.map(({ text }) => text)]);
  const pieces = first.map(({ score: _, ...one }, i) => ({
    ...one,
    reading: Number(dot(asked as Float32Array, vectors[i] as Float32Array).toFixed(5)),
  }));
  out.write(`${JSON.stringify({ ...question, pieces })}\n`);
  if (++count % 100 === 0) process.stderr.write(`${count} questions\n`);
}
out.end();
await reader.close();
