import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countTokens } from "../text/cl100k.ts";
import { CHUNK_MAX_TOKENS, CHUNK_MIN_TOKENS, chunkDocument, WINDOW_MAX_TOKENS } from "./chunk.ts";
import { parseFirst } from "./testing/first-document.ts";

const DATA = process.env.SOURCEBOUND_DATA ?? "";
const pages = join(DATA, "va-pages");
const golden = join(DATA, "va-golden", "va-answerable-dev.jsonl");
const hasData = DATA !== "" && existsSync(pages) && existsSync(golden);

const parsePage = (path: string) => parseFirst(path, readFileSync(join(pages, path)));

describe.skipIf(!hasData)(`real pages${hasData ? "" : " (skipped: SOURCEBOUND_DATA names no folder with va-pages and va-golden)"}`, () => {
  test("keep the characters of quoted answers at their places in the file", () => {
    const lines = readFileSync(golden, "utf8").trim().split("\n");
    const missing: string[] = [];
    for (const line of lines) {
      const { id, gold_pages, gold_quotes } = JSON.parse(line) as { id: string; gold_pages: string[]; gold_quotes: string[] };
      const sources = gold_pages.map((path) => ({ source: readFileSync(join(pages, path), "utf8"), map: parsePage(path).sourceMap }));
      for (const quote of gold_quotes) {
        const page = sources.find(({ source }) => source.includes(quote));
        const start = page?.source.indexOf(quote) ?? 0;
        const covered = new Set<number>();
        for (let i = 0; i < (page?.map.length ?? 0); i += 4) {
          for (let at = page?.map[i + 2] ?? 0; at < (page?.map[i + 3] ?? 0); at++) covered.add(at);
        }
        // Tags and link addresses are not text.
        const visible = quote.replace(/<[^>]*>|\]\([^)]*\)/g, (markup) => " ".repeat(markup.length));
        const isCovered = [...visible.matchAll(/[\p{L}\p{N}$%]/gu)].every(({ index }) => covered.has(start + index));
        if (page === undefined || !isCovered) missing.push(`${id}: ${quote}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("contain no markup, and give chunks and windows within the limits", () => {
    const files = readdirSync(pages, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".md") && file.includes("pages"),
    );
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const document = parsePage(file);
      expect(document.text).not.toMatch(/\*\*|\]\(|&[a-z]+;|\|\s?-{3}/);
      const chunks = chunkDocument(document);
      for (const chunk of chunks) {
        expect(chunk.tokens).toBe(countTokens(document.text.slice(chunk.start, chunk.end)));
        expect(chunk.tokens).toBeLessThanOrEqual(CHUNK_MAX_TOKENS);
        if (chunks.length > 1) expect(chunk.tokens).toBeGreaterThanOrEqual(CHUNK_MIN_TOKENS);
        expect(Math.max(...chunk.windows.map((window) => window.tokens))).toBeLessThanOrEqual(WINDOW_MAX_TOKENS);
      }
    }
  });
});
