import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer, TextRange } from "../../src/shared/types.ts";
import { unpackSets } from "../sets/unpack-sets.ts";

/** Sets of messages are halved by collection: chosen on one half, reported on the other. */
export const HALVES = ["first-half", "second-half"] as const;
export type Half = (typeof HALVES)[number];

/** Exact words of a page that answer. */
export const markedSchema = z.object({ page: z.string(), quote: z.string() });
export type Marked = z.infer<typeof markedSchema>;

/**
 * Does an answer quote any of the words that answer?
 * @param corpus folder that the pages are named from
 * @throws Error where a page does not hold its words
 */
export function quotesAny({ citations }: Pick<Answer, "citations">, marked: readonly Marked[], corpus: string): boolean {
  const places = marked.map((one) => placeOf(one, readFileSync(join(corpus, one.page), "utf8")));
  return citations.some(({ original: { path, start, end } }) =>
    places.some((place) => place.page.endsWith(path) && start < place.end && place.start < end),
  );
}

/**
 * Where the words stand in their page.
 * @throws Error where they do not
 */
export function placeOf({ page, quote }: Marked, text: string): TextRange & { readonly page: string } {
  const start = text.indexOf(quote);
  if (start < 0) throw new Error(`${page} does not hold ${JSON.stringify(quote)}`);
  return { page, start, end: start + quote.length };
}

export interface StrangersOptions {
  /** Folder that holds the collections, `strangers`. */
  readonly data: string;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly signal: AbortSignal;
}

/** One collection of strangers, read by an engine of its own, as long as it is asked. */
export async function* askStrangers<Event>(
  set: string,
  { data, config, parts, signal }: StrangersOptions,
  ask: (opened: { readonly engine: Engine; readonly domain: string; readonly corpus: string }) => AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  const corpus = join(unpackSets(join(data, "strangers")), set);
  const folders = { corpus, name: set, documents: join(corpus, "pages") };
  const opening = { config, signal, openEngine: (own: Config) => createEngine(own, parts) };
  const { engine, domain, close } = await openGoldenSet(folders, opening);
  try {
    yield* ask({ engine, domain, corpus });
  } finally {
    await close();
  }
}
