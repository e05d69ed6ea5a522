import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHIPPED_DOMAINS } from "../src/engine/domain.ts";

/** Public pages from which the facts of the bundled pack were taken. */
const PAGES = join(process.env.SOURCEBOUND_DATA ?? "", "va-pages", "pages");
const hasPages = process.env.SOURCEBOUND_DATA !== undefined && existsSync(PAGES);
/** Length of a run that counts as copied. */
const RUN = 8;

const WORD = /[^\W_]+(?:[’'.,/-][^\W_]+)*/g;
const isNameOrFigure = (word: string) => /^[A-Z\d]/.test(word);
/** The longest connecting word inside a name, as in "Court of Appeals for the Armed Forces", and the maximum number in a row. */
const CONNECTING = { letters: 3, words: 2 };

/** Splits a page, without its front matter, into words. A name, an address or a row of figures counts as one word. */
function wordsOf(page: string): string[] {
  const words = [...page.replace(/^---\n.*?\n---\n/s, "").matchAll(WORD)].map(([word]) => word.replaceAll("’", "'"));
  const found: string[] = [];
  for (let i = 0; i < words.length; ) {
    const end = endOfName(words, i);
    found.push(words.slice(i, end).join(" ").toLowerCase());
    i = end;
  }
  return found;
}

/** Returns the index after the name or figure that begins at `start`, or after the single word there. */
function endOfName(words: readonly string[], start: number): number {
  const isPart = (word: string | undefined) => word !== undefined && isNameOrFigure(word);
  let end = start + 1;
  while (isPart(words[start])) {
    let next = end;
    while (next - end < CONNECTING.words && !isPart(words[next]) && (words[next]?.length ?? Infinity) <= CONNECTING.letters) next++;
    if (!isPart(words[next])) break;
    end = next + 1;
  }
  return end;
}

const runsOf = (page: string) => {
  const words = wordsOf(page);
  return words.slice(RUN - 1).map((_, i) => words.slice(i, i + RUN).join(" "));
};

/** Returns the runs of eight words that a document shares with the sources. */
function copiedRuns(document: string, sources: ReadonlySet<string>): string[] {
  return runsOf(document).filter((run) => sources.has(run));
}

const pagesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

describe("copiedRuns", () => {
  const source = new Set(
    runsOf(
      "You can apply online or by mail, and we will tell you within a week. Write to the Office of Servicemembers' Group Life Insurance.",
    ),
  );

  it("finds a copied half sentence", () => {
    expect(copiedRuns("Anyone can apply online or by mail, and we will tell the rest.", source)).toEqual([
      "can apply online or by mail and we",
      "apply online or by mail and we will",
      "online or by mail and we will tell",
    ]);
  });

  it("counts a name as one word, and finds nothing in a paraphrase", () => {
    expect(copiedRuns("Letters go to the Office of Servicemembers' Group Life Insurance.", source)).toEqual([]);
    expect(copiedRuns("An answer to an application comes after seven days at most.", source)).toEqual([]);
  });
});

describe("the veterans' documents", () => {
  it.skipIf(!hasPages)(
    `share no run of eight words with the official pages${hasPages ? "" : " (skipped: SOURCEBOUND_DATA names no folder with va-pages)"}`,
    () => {
      const sources = new Set(pagesIn(PAGES).flatMap(({ text }) => runsOf(text)));
      expect(sources.size).toBeGreaterThan(50_000);
      const copied = pagesIn(join(SHIPPED_DOMAINS, "veterans", "documents")).flatMap(({ file, text }) =>
        copiedRuns(text, sources).map((run) => `${file}: ${run}`),
      );
      expect(copied).toEqual([]);
    },
  );
});
