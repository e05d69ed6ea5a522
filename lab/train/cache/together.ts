import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { readLines } from "../../../src/grade/golden.ts";
import { auroc } from "../../../src/grade/metrics.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { dot } from "../../../src/reader/dot.ts";
import { openSharedReader } from "../../../src/reader/shared-reader.ts";
import { pairSchema } from "../../sets/pair.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";

/**
 * What the reader says of two questions where all questions of a collection are stored together, as in a cache that is used: a pair asks for the same, is a
 * look-alike that was written as one, or is a question with one of its nearest neighbours by cosine, which another quote answers. See README.md.
 */

/** Stored questions beside which each is read, nearest first. */
const NEAREST = 4;
/** Log odds from which a stored answer would be served. */
const FROM = [0, 1, 2, 3, 4, 5];

const { values } = parseArgs({ options: { collections: { type: "string" }, only: { type: "string" } } });
if (values.collections === undefined) throw new Error("usage: together --collections DIR [--only NAME,NAME]");

type Kind = "same" | "look-alike" | "neighbour";

interface Row {
  readonly kind: Kind;
  readonly stored: string;
  readonly asked: string;
}

const answerable = z.object({ question: z.string(), gold_quotes: z.array(z.string()) });
const encoder = sharedEncoder();
const only = values.only?.split(",");
const root = unpackSets(values.collections);
const rows = readdirSync(root)
  .sort()
  .filter((name) => existsSync(join(root, name, "pairs-dev.jsonl")) && (only?.includes(name) ?? true))
  .flatMap((name) => rowsOf(join(root, name)));

function rowsOf(folder: string): Row[] {
  const pairs = readLines(folder, "pairs", pairSchema);
  const quotes = new Map(readLines(folder, "answerable", answerable).map(({ question, gold_quotes }) => [question, gold_quotes.join(" ")]));
  const stored = [...quotes.keys()];
  const vectors = encoder.embedSync(stored);
  const written = pairs.map(({ a, b, same_answer }): Row => ({ kind: same_answer ? "same" : "look-alike", stored: a, asked: b }));
  const rewordings = pairs.filter(({ same_answer }) => same_answer);
  const asked = new Map<string, string>([...rewordings.map(({ a, b }) => [b, a] as const), ...stored.map((one) => [one, one] as const)]);
  const near = [...asked].flatMap(([question, of]) => {
    const [vector] = encoder.embedSync([question]) as [Float32Array];
    const order = stored.map((one, at) => ({ one, cosine: dot(vectors[at] as Float32Array, vector) })).sort((x, y) => y.cosine - x.cosine);
    const own = quotes.get(of) ?? "";
    return order
      .filter(({ one }) => one !== of && !sharesQuote(quotes.get(one) as string, own))
      .slice(0, NEAREST)
      .map(({ one }): Row => ({ kind: "neighbour", stored: one, asked: question }));
  });
  return [...written, ...near];
}

function sharesQuote(one: string, other: string): boolean {
  return one !== "" && other !== "" && (one.includes(other) || other.includes(one));
}

const reader = openSharedReader();
const read = await reader.read(
  rows.flatMap(({ stored, asked }) => [
    { question: stored, text: asked },
    { question: asked, text: stored },
  ]),
);
await reader.close();
const scored = rows.map(({ kind }, at) => {
  const [one, other] = read.slice(2 * at, 2 * at + 2).map(({ same }) => same) as [number, number];
  return { kind, odds: Math.min(one, other) };
});
const oddsOf = (kind: Kind) => scored.filter((row) => row.kind === kind).map(({ odds }) => odds);
const same = oddsOf("same");
for (const other of ["look-alike", "neighbour"] as const)
  process.stdout.write(`AUROC of the same against each ${other}: ${auroc(same, oddsOf(other))?.toFixed(3)}\n`);
for (const least of FROM) {
  const from = (kind: Kind) => `${oddsOf(kind).filter((odds) => odds > least).length} of ${oddsOf(kind).length}`;
  process.stdout.write(`above ${least}: same ${from("same")}, look-alikes ${from("look-alike")}, neighbours ${from("neighbour")}\n`);
}
