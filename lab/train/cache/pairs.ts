import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { openSharedReader } from "../../../src/cross-encoder/create-reader.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { type ChosenFolders, chooseGoldenSets } from "../../../src/grading/choose-sets.ts";
import { readGolden } from "../../../src/grading/golden.ts";
import { openGoldenSet } from "../../../src/grading/run-golden.ts";
import { createQuestionFactReader, findFactConflict } from "../../../src/language/question-facts.ts";
import { readProbabilities } from "../../../src/memory/matcher.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { admit } from "../../../src/pipeline/admit.ts";
import { SILENT_LOG } from "../../../src/pipeline/context.ts";
import { retrieve } from "../../../src/pipeline/retrieve.ts";
import { type Config, DEFAULT_DOMAIN, loadConfig } from "../../../src/shared/config.ts";
import { cosineOf } from "../../judges/cosine.ts";
import { requestFor } from "../../runs/ask-fresh.ts";
import { pairSchema } from "../../sets/pair.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { isHeldOut, type PairRow } from "./pair-rows.ts";

/**
 * Builds pairs of questions from the written collections held out from the cross-encoder, as the cache sees them: the first is stored, the
 * second asked. Each paraphrase is also paired with the nearest other questions of its collection that have a different gold quote. Keeps
 * the pairs without a difference in exact facts whose gold quote is among the passages found for the asked question. See README.md.
 */

/** Number of other stored questions paired with a paraphrase. */
const NEAREST = 2;

const { values } = parseArgs({
  options: { written: { type: "string" }, out: { type: "string" }, all: { type: "boolean", default: false } },
});
const { written, out } = values;
if (written === undefined || out === undefined) throw new Error("usage: pairs --written DIR --out FILE [--all]");

const encoder = sharedEncoder();
const facts = createQuestionFactReader();
const reader = openSharedReader("questions");
const { signal } = new AbortController();
const config: Config = loadConfig({ cwd: process.cwd(), env: {}, defaults: { domain: DEFAULT_DOMAIN } });
const answerable = z.object({ question: z.string(), gold_quotes: z.array(z.string()) });
const rows: PairRow[] = [];
for (const set of chooseGoldenSets(unpackSets(written), undefined)) {
  if (!existsSync(join(set.golden, "pairs-dev.jsonl")) || !(values.all || isHeldOut(set.name))) continue;
  rows.push(...(await rowsOf(set)));
  process.stderr.write(`${set.name}: ${rows.length} rows\n`);
}
await reader.close();
writeFileSync(out, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

type OpenPair = Omit<PairRow, "chance">;

async function rowsOf(set: ChosenFolders): Promise<PairRow[]> {
  const open = await openPairs(set);
  const chances = await Promise.all(
    open.map(({ stored, asked }) =>
      readProbabilities(facts.read(asked), [facts.read(stored)], () => (texts) => reader.read(texts), signal),
    ),
  );
  // Questions that are too long are never served.
  return open.flatMap((row, at) => {
    const chance = chances[at]?.[0] ?? null;
    return chance === null ? [] : [{ ...row, chance }];
  });
}

async function openPairs(set: ChosenFolders): Promise<OpenPair[]> {
  const { name, golden } = set;
  const opening = { config, domain: undefined, signal, openEngine: (own: Config) => createEngine(own) };
  const { engine, domain, close } = await openGoldenSet({ ...set, documents: join(set.corpus, "pages") }, opening);
  try {
    const where = { domain, signal };
    const parts = await engine.pipelineContext(domain, requestFor("", engine, where).profile);
    const quotes = new Map(
      readGolden(golden, "answerable", answerable).map(({ question, gold_quotes }) => [question, gold_quotes.map(squeeze)]),
    );
    const pairs = readGolden(golden, "pairs", pairSchema);
    const stored = [...new Set([...pairs.map(({ a }) => a), ...quotes.keys()])];
    const vectors = new Map([...stored, ...pairs.map(({ b }) => b)].map((text) => [text, encoder.embedSync([text])[0]]));
    const neighboursOf = (own: string, asked: string) =>
      stored
        .filter((other) => other !== own && !sharesQuote(quotes.get(other) ?? [], quotes.get(own) ?? []))
        .map((other) => ({ other, cosine: cosineOf(vectors.get(other), vectors.get(asked)) }))
        .sort((one, other) => other.cosine - one.cosine)
        .slice(0, NEAREST);
    const met = pairs.flatMap(({ a, b, same_answer: same, kind }): OpenPair[] => [
      { set: name, kind, same, stored: a, asked: b },
      ...(same ? neighboursOf(a, b) : []).map(({ other }) => ({ set: name, kind: "neighbour", same: false, stored: other, asked: b })),
    ]);
    const find = async (text: string) => {
      const question = await admit(requestFor(text, engine, where), parts, SILENT_LOG);
      const { passages } = await retrieve(question, parts, SILENT_LOG, signal);
      const { text: read } = await parts.corpus.understand(question, parts.profile.retrieve.query);
      return { read, passages };
    };
    const found = new Map<string, Awaited<ReturnType<typeof find>>>();
    for (const text of new Set(met.flatMap((pair) => [pair.asked, pair.stored]))) found.set(text, await find(text));
    return met.flatMap((pair) => {
      const [asked, own] = [found.get(pair.asked), found.get(pair.stored)];
      if (asked === undefined || findFactConflict(facts.read(asked.read), facts.read(pair.stored)) !== null) return [];
      const holds = ({ text }: { readonly text: string }) => (quotes.get(pair.stored) ?? []).some((quote) => squeeze(text).includes(quote));
      // If the stored question finds no quote either, it is unknown what its answer cites.
      const isLost = own?.passages.some(holds) === true && !asked.passages.some(holds);
      return isLost ? [] : [{ ...pair, asked: asked.read }];
    });
  } finally {
    await close();
  }
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function sharesQuote(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.join(" "), other.join(" ")];
  return a !== "" && b !== "" && (a.includes(b) || b.includes(a));
}
