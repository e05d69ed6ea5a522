import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer, TextRange } from "../../src/shared/types.ts";
import { unpackSets } from "../sets/unpack-sets.ts";

/** Halves of the sets of messages, split by collection: selection on one half, reporting on the other. */
export const HALVES = ["first-half", "second-half"] as const;
export type Half = (typeof HALVES)[number];

/** An exact substring of a page that answers. */
export const markedSchema = z.object({ page: z.string(), quote: z.string() });
export type Marked = z.infer<typeof markedSchema>;

/** Tests whether an answer quotes any gold words. @param corpus folder of the page paths @throws Error if a page lacks its gold words */
export function quotesAny({ citations }: Pick<Answer, "citations">, marked: readonly Marked[], corpus: string): boolean {
  const places = marked.map((one) => placeOf(one, readFileSync(join(corpus, one.page), "utf8")));
  return citations.some(({ original: { path, start, end } }) =>
    places.some((place) => place.page.endsWith(path) && start < place.end && place.start < end),
  );
}

/** Locates the gold words in their page. @throws Error if the page does not contain them */
export function placeOf({ page, quote }: Marked, text: string): TextRange & { readonly page: string } {
  const start = text.indexOf(quote);
  if (start < 0) throw new Error(`${page} does not hold ${JSON.stringify(quote)}`);
  return { page, start, end: start + quote.length };
}

export interface StrangersOptions {
  /** Folder with the collections, `strangers`. */
  readonly data: string;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly signal: AbortSignal;
}

/** Opens an engine on one collection of `strangers` while `ask` runs. */
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
