import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { dot } from "../../../src/cross-encoder/dot.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import { type ChosenFolders, chooseGoldenSets } from "../../../src/grading/choose-sets.ts";
import { readGolden } from "../../../src/grading/golden.ts";
import { openGoldenSet } from "../../../src/grading/run-golden.ts";
import { readRewordings } from "../../../src/memory/match.ts";
import { retrievedFor } from "../../../src/memory/named-documents.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { admit } from "../../../src/pipeline/admit.ts";
import { SILENT_LOG } from "../../../src/pipeline/context.ts";
import { retrieve } from "../../../src/pipeline/retrieve.ts";
import { type Config, DEFAULT_DOMAIN, loadConfig } from "../../../src/shared/config.ts";
import type { Answer } from "../../../src/shared/types.ts";
import { askFresh, requestFor } from "../../runs/ask-fresh.ts";
import { pairSchema } from "../../sets/pair.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { isUnread, type RewordingRow } from "./rewording-rows.ts";

/**
 * Builds pairs of questions from the written collections held out from the cross-encoder, as the cache sees them: the first is answered,
 * the second asked. Each paraphrase is also paired with the nearest other questions of its collection that have a different gold quote.
 * Keeps the pairs that the rules leave undecided. See README.md.
 */

/** Number of other stored questions paired with a paraphrase. */
const NEAREST = 2;

const { values } = parseArgs({ options: { written: { type: "string" }, only: { type: "string" }, out: { type: "string" } } });
const { written, out } = values;
if (written === undefined || out === undefined) throw new Error("usage: rewordings --written DIR --out FILE [--only NAME,NAME]");

const encoder = sharedEncoder();
const { signal } = new AbortController();
// Low, to include pairs whose stored answer would be refused: they add training data.
const config: Config = { ...loadConfig({ cwd: process.cwd(), env: {}, defaults: { domain: DEFAULT_DOMAIN } }), answer_from: 0.2 };
const answerable = z.object({ question: z.string(), gold_quotes: z.array(z.string()) });
const rows: RewordingRow[] = [];
for (const set of chooseGoldenSets(unpackSets(written), values.only)) {
  if (!existsSync(join(set.golden, "pairs-dev.jsonl")) || (values.only === undefined && !isUnread(set.name))) continue;
  rows.push(...(await rowsOf(set)));
  process.stderr.write(`${set.name}: ${rows.length} rows\n`);
}
writeFileSync(out, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

async function rowsOf(set: ChosenFolders): Promise<RewordingRow[]> {
  const opening = { config, domain: undefined, signal, openEngine: (own: typeof config) => createEngine(own) };
  const { engine, domain, close } = await openGoldenSet({ ...set, documents: join(set.corpus, "pages") }, opening);
  try {
    return await readSet(set, engine, domain);
  } finally {
    await close();
  }
}

async function readSet({ name, golden }: ChosenFolders, engine: Engine, domain: string): Promise<RewordingRow[]> {
  const where = { domain, signal };
  const { profile } = requestFor("", engine, where);
  const parts = await engine.pipelineContext(domain, profile);
  const { matcher } = parts.questions;
  const { read } = parts.ranking();
  if (read === null) throw new Error("the reader cannot be used");
  const settings = parts.profile.match;
  const vectorOf = (text: string) => encoder.embedSync([matcher.textFor(text, settings)])[0] as Float32Array;
  const pairs = readGolden(golden, "pairs", pairSchema);
  const quotes = new Map(
    readGolden(golden, "answerable", answerable).map(({ question, gold_quotes }) => [question, gold_quotes.join(" ")]),
  );
  const stored = new Map<string, { answer: Answer; vector: Float32Array; slots: string }>();
  for (const question of new Set(pairs.map(({ a }) => a))) {
    const answer = await askFresh(engine, question, where);
    if (answer.status !== "ok") continue;
    const about = answer.citations.flatMap(({ title, headingPath, quote, context }) => [title, ...headingPath, quote, context]);
    stored.set(question, { answer, vector: vectorOf(question), slots: matcher.describe(question, [...new Set(about)]) });
  }
  const met = pairs.flatMap(({ a, b, same_answer: same, kind }) => [
    { stored: a, asked: b, same, kind },
    ...(same ? neighboursOf(a, b) : []).map((other) => ({ stored: other, asked: b, same: false, kind: "neighbour" })),
  ]);

  function neighboursOf(own: string, asked: string): string[] {
    const vector = vectorOf(asked);
    return [...stored]
      .filter(([other]) => other !== own && !sharesQuote(quotes.get(other) ?? "", quotes.get(own) ?? ""))
      .map(([other, known]) => ({ other, cosine: dot(known.vector, vector) }))
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, NEAREST)
      .map(({ other }) => other);
  }

  const open: (Omit<RewordingRow, "sameOdds" | "answerOdds"> & { answer: Answer })[] = [];
  for (const { stored: first, asked, same, kind } of met) {
    const known = stored.get(first);
    if (known === undefined) continue;
    const { passages } = await retrieve(await admit(requestFor(asked, engine, where), parts, SILENT_LOG), parts, SILENT_LOG, signal);
    const cosine = dot(known.vector, vectorOf(asked));
    const compare = matcher.read({ question: asked, written: asked, passages }, settings);
    const { accepted, soft } = compare({ question: first, slots: known.slots, cosine, retrieved: retrievedFor(known.answer) });
    if (accepted || soft) open.push({ set: name, kind, same, stored: first, asked, soft, cosine, answer: known.answer });
  }
  const odds = await readRewordings(open, read, signal);
  if (odds === null) throw new Error("the reader could not read");
  return open.map(({ answer: _, ...row }, i) => ({
    ...row,
    sameOdds: odds[i]?.same as number,
    answerOdds: odds[i]?.answer as number,
  }));
}

function sharesQuote(one: string, other: string): boolean {
  return one !== "" && other !== "" && (one.includes(other) || other.includes(one));
}
