import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { readDocuments } from "../../src/ingest/parse.ts";
import type { MadeWord } from "../../src/ingest/testing/made-pdf.ts";
import { lostOf, type PdfScore, quotesOf, scorePdf, squeeze } from "../../src/ingest/testing/pdf-truth.ts";
import { versionsOf } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";
import { type MadeFile, makeCorpus } from "./pdf/made-corpus.ts";
import { openLibraries, type PdfLibrary } from "./pdf/readers.ts";

/** Words of a quote that is looked for in a real file. */
const REAL_QUOTE_WORDS = 8;

/** What a reader made of some files. */
interface Tally {
  files: number;
  pages: number;
  seconds: number;
  /** Of the processor, all threads of the process. */
  processorSeconds: number;
  quotes: number;
  rightPage: number;
  characters: number;
  lost: number;
}

/** How much of a PDF is read, and is it on its page, in its box, in its cell? */
export const benchmark: Benchmark = {
  description:
    "PDFs made of known text, and real ones (--real PATH,PATH), as ours, unpdf, pdfjs-dist and liteparse read them (--corpus DIR of markdown [--texts 6])",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { corpus: { type: "string" }, texts: { type: "string", default: "6" }, real: { type: "string", default: "" } },
    });
    if (values.corpus === undefined) throw new Error("bench pdf needs --corpus DIR: a folder of markdown documents");
    const { libraries, missing } = await openLibraries();
    const tallies = new Map(["ours", ...libraries.map(({ name }) => name)].map((name) => [name, emptyTally()]));
    const ours: PdfScore[] = [];
    const items: Record<string, unknown>[] = [];
    const files = [...makeCorpus(values.corpus, Number(values.texts))];
    const readers = [
      async (file: MadeFile) => {
        const score = await readOurs(file, tallies.get("ours") as Tally);
        ours.push(score);
        items.push({ id: file.name, layout: file.layout, ...score });
      },
      ...libraries.map((library) => (file: MadeFile) => readByLibrary(library, file, tallies.get(library.name) as Tally)),
    ];
    // They share a library, whose code is compiled at the cost of who comes first.
    for (const file of files) await readUncounted(file, libraries);
    for (const [i, file] of files.entries()) {
      progress(file.name);
      // Each is the first in its turn: whoever reads first finds nothing in the processor's caches.
      for (let at = 0; at < readers.length; at++) await readers[(i + at) % readers.length]?.(file);
    }
    const real = await measureReal(filesOf(values.real), libraries, progress);
    const sum = (key: keyof PdfScore) => ours.reduce((total, score) => total + score[key], 0);
    const metrics = {
      "page.right": sum("rightPage") / sum("quotes"),
      "page.right_of_found": sum("rightPage") / sum("found"),
      "boxes.over_words": sum("boxed") / sum("words"),
      "cells.right": sum("rightCells") / sum("cells"),
      "characters.lost": sum("lost") / sum("characters"),
      ...Object.fromEntries([...tallies].map(([name, { lost, characters }]) => [`characters.lost.${name}`, lost / characters])),
      ...Object.fromEntries([...tallies].map(([name, { rightPage, quotes }]) => [`page.right.${name}`, rightPage / quotes])),
    };
    const timings = Object.fromEntries(
      [...tallies].flatMap(([name, { pages, seconds, processorSeconds }]) => [
        [`pages_per_s.${name}`, pages / seconds],
        [`pages_per_processor_s.${name}`, pages / processorSeconds],
      ]),
    );
    const of = (part: keyof PdfScore, whole: keyof PdfScore) => `${sum(part)} of ${sum(whole)} (${percent(sum(part) / sum(whole))})`;
    return {
      report: {
        name: "pdf",
        command: `bench pdf ${args.join(" ")}`.trim(),
        versions: { ...versionsOf(), ...Object.fromEntries(libraries.map((one) => [one.package, one.version])) },
        seed: 0,
        date: new Date().toISOString(),
        n: { files: ours.length, real: real.length, quotes: sum("quotes"), cells: sum("cells") },
        metrics,
        timings,
        items: [...items, ...real],
      },
      table: [
        { name: `made files: ${ours.length}`, figure: "" },
        { name: "  quotes found", figure: of("found", "quotes") },
        { name: "  quotes on their page", figure: of("rightPage", "quotes") },
        { name: "  words in a box of their quote", figure: of("boxed", "words") },
        { name: "  cells on their row and column", figure: of("rightCells", "cells") },
        ...[...tallies].map(([name, tally]) => ({
          name: `  ${name}`,
          figure: `lost ${percent(tally.lost / tally.characters)}`,
          note: `page right ${percent(tally.rightPage / tally.quotes)}, ${(tally.pages / tally.seconds).toFixed(0)} pages/s, ${(tally.pages / tally.processorSeconds).toFixed(0)} a second of processor`,
        })),
        ...real.map(({ id, ...rest }) => ({ name: `real: ${id}`, figure: "", note: JSON.stringify(rest) })),
        ...missing.map(({ name, reason }) => ({ name: `  ${name}`, figure: "not installed", note: reason })),
      ],
    };
  },
};

async function readUncounted(file: MadeFile, libraries: readonly PdfLibrary[]): Promise<void> {
  await readOurs(file, emptyTally());
  for (const library of libraries) await readByLibrary(library, file, emptyTally());
}

function emptyTally(): Tally {
  return { files: 0, pages: 0, seconds: 0, processorSeconds: 0, quotes: 0, rightPage: 0, characters: 0, lost: 0 };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

async function readOurs(file: MadeFile, tally: Tally): Promise<PdfScore> {
  const [document] = await timed(tally, () => readDocuments({ path: "made.pdf", bytes: Uint8Array.from(file.bytes) }));
  if (document === undefined) throw new Error(`${file.name} gives no document`);
  const score = scorePdf(document, file);
  tally.files++;
  tally.pages += file.pages;
  for (const key of ["quotes", "rightPage", "characters", "lost"] as const) tally[key] += score[key];
  return score;
}

async function timed<T>(tally: Tally, read: () => Promise<T>): Promise<T> {
  const [begun, processor] = [performance.now(), process.cpuUsage()];
  const result = await read();
  const { user, system } = process.cpuUsage(processor);
  tally.seconds += (performance.now() - begun) / 1_000;
  tally.processorSeconds += (user + system) / 1_000_000;
  return result;
}

async function readByLibrary(library: PdfLibrary, file: MadeFile, tally: Tally): Promise<void> {
  const pages = await timed(tally, () => library.pages(Uint8Array.from(file.bytes)));
  tally.files++;
  tally.pages += file.pages;
  const { characters, lost } = lostOf(joinCutWords(pages.join("\n")), file.words);
  tally.characters += characters;
  tally.lost += lost;
  const squeezed = pages.map(squeeze);
  for (const quote of quotesOf(file.words)) {
    tally.quotes++;
    const first = quote[0] as MadeWord;
    if (squeezed[first.page - 1]?.includes(squeeze(quote.map(({ text }) => text).join(" "))) === true) tally.rightPage++;
  }
}

/** A library gives words cut at line ends in two pieces: that alone is no loss. */
function joinCutWords(text: string): string {
  return text.replace(/([a-z])-\s*\n\s*(?=[a-z])/g, "$1");
}

function filesOf(real: string): string[] {
  return real
    .split(",")
    .filter((path) => path !== "")
    .flatMap((path) =>
      statSync(path).isDirectory()
        ? readdirSync(path, { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith(".pdf"))
            .sort()
            .map((name) => join(path, name))
        : [path],
    );
}

/** Nobody wrote down what a real file says: what each library reads is looked for in what we read. */
async function measureReal(paths: readonly string[], libraries: readonly PdfLibrary[], progress: (what: string) => void) {
  const items: ({ readonly id: string } & Record<string, unknown>)[] = [];
  for (const path of paths) {
    progress(path);
    const bytes = readFileSync(path);
    const begun = performance.now();
    const [document] = await readDocuments({ path, bytes: Uint8Array.from(bytes) });
    const ms = performance.now() - begun;
    if (document === undefined) continue;
    const pageTexts = (document.pages ?? [0]).map((start, i, all) => squeeze(document.text.slice(start, all[i + 1])));
    const against = [];
    for (const library of libraries) {
      const start = performance.now();
      const pages = await library.pages(Uint8Array.from(bytes));
      against.push({ library: library.name, ms: Math.round(performance.now() - start), ...compareReal(pages, pageTexts, document.text) });
    }
    items.push({ id: basename(path), pages: pageTexts.length, ms: Math.round(ms), against });
  }
  return items;
}

function compareReal(pages: readonly string[], ours: readonly string[], text: string) {
  const counts = new Map<string, number>();
  for (const word of text.split(/[\s|]+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let [characters, lost, found, rightPage] = [0, 0, 0, 0];
  for (const [i, page] of pages.entries()) {
    const words = joinCutWords(page).split(/\s+/).filter(Boolean);
    for (const word of words) {
      characters += word.length;
      const left = counts.get(word) ?? 0;
      if (left === 0) lost += word.length;
      else counts.set(word, left - 1);
    }
    for (let at = 0; at + REAL_QUOTE_WORDS <= words.length; at += REAL_QUOTE_WORDS) {
      const quote = squeeze(words.slice(at, at + REAL_QUOTE_WORDS).join(""));
      if (!ours.some((one) => one.includes(quote))) continue;
      found++;
      if (ours[i]?.includes(quote) === true) rightPage++;
    }
  }
  return { lost: Number((lost / characters).toFixed(4)), quotes: found, rightPage };
}
