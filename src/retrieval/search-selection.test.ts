import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openInTest } from "../../test/support/engine.ts";
import type { StoredDocument, TextRange, Unit } from "../shared/types.ts";
import { windowedDocument } from "../testing/windowed-document.ts";
import { tokenize } from "../text/tokens.ts";
import { searchArea, selectionArea } from "./search-area.ts";

const WORDS = ["pension", "review", "spouse", "appeal", "dental"] as const;
const SCOPE = { domain: "d", tenant: null, access: ["public"] };

/** Sentences in windows of three and chunks of two windows. */
function documentOf(sentences: readonly string[]): StoredDocument {
  const units: Unit[] = [];
  let text = "";
  for (const sentence of sentences) {
    units.push({ start: text.length, end: text.length + sentence.length, type: "paragraph", block: 0 });
    text += `${sentence} `;
  }
  const group = <T extends TextRange>(items: readonly T[], size: number) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
  const rangeOf = (items: readonly TextRange[]) => ({ start: items[0]?.start ?? 0, end: items.at(-1)?.end ?? 0 });
  const windows = group(units, 3).map((some) => ({ ...rangeOf(some), tokens: 9 }));
  const chunks = group(windows, 2).map((some, ordinal) => {
    return { ...rangeOf(some), id: `c${ordinal}`, documentId: "d", ordinal, tokens: 18, headingPath: [], windows: some };
  });
  return windowedDocument("d", [""], { text, units, chunks });
}

/** Searches a selection for a word, over an index with fixed statistics. */
function search(document: StoredDocument, { start, end }: TextRange, term: string) {
  const [token = ""] = tokenize(term);
  const windows = document.chunks.flatMap((chunk) => chunk.windows.map((window) => ({ chunk, window })));
  const corpus = {
    search: async ({ area }: Parameters<Parameters<typeof searchArea>[2]["search"]>[0]) =>
      windows.flatMap(({ chunk, window }) => {
        const text = document.text.slice(window.start, window.end);
        const isWhole = window.start >= start && window.end <= end;
        const isAcross = !isWhole && window.start < end && window.end > start;
        if (area?.fit === "cut" ? !isAcross : !isWhole || !text.includes(term)) return [];
        return [{ documentId: "d", version: "v1", chunk, window, title: "Page", text, dense: null, bm25: 1, fused: 1 }];
      }),
    statistics: async () => ({ windows: 9, averageLength: 5, frequencies: new Map([[token, 3]]) }),
    ...{ tokens: (text: string) => tokenize(text), embed: async () => [] },
  };
  const ranking = { bm25: true, candidates: 10, alpha: 0.6, beta: 0.4, fusion: "min-max" as const };
  const request = { terms: [token], codes: [], vector: null, scope: SCOPE, ...ranking };
  const documents = { load: async () => new Map([["d", document]]) };
  return searchArea(request, selectionArea({ documentId: "d", start, end }), corpus, documents, new AbortController().signal);
}

const sentencesArbitrary = fc.array(
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => `${words.join(" ")}.`),
  { minLength: 1, maxLength: 20 },
);

describe("searchArea of a selection", () => {
  it("limits results to whole sentences of the selection, and scores only words inside", async () => {
    await fc.assert(
      fc.asyncProperty(sentencesArbitrary, fc.nat(400), fc.nat(200), fc.constantFrom(...WORDS), async (sentences, start, length, term) => {
        const document = documentOf(sentences);
        const selection = { start, end: start + length + 1 };
        const held = (at: number) =>
          document.units.some((one) => one.start >= selection.start && one.end <= selection.end && one.start <= at && at < one.end);
        const text = [...document.text].map((letter, at) => (/[a-z]/.test(letter) && !held(at) ? "x" : letter)).join("");
        const found = await search(document, selection, term);
        const elsewhere = await search({ ...document, text }, selection, term);
        expect(elsewhere).toEqual(found);
        for (const { window } of found) {
          expect(window.start).toBeGreaterThanOrEqual(selection.start);
          expect(window.end).toBeLessThanOrEqual(selection.end);
          expect(document.units.some((unit) => unit.start === window.start)).toBe(true);
          expect(document.units.some((unit) => unit.end === window.end)).toBe(true);
          expect(document.text.slice(window.start, window.end)).toContain(term);
        }
      }),
    );
  });

  it("finds nothing when no whole sentence is selected", async () => {
    expect(await search(documentOf(["pension review appeal."]), { start: 1, end: 10 }, "pension")).toEqual([]);
  });
});

it("an answer about a selection quotes nothing outside, for any selection", async () => {
  const text = Array.from({ length: 60 }, (_, i) => `The pension of group ${i} is paid on day ${i + 1} of the month.`).join("\n\n");
  const { engine } = await openInTest({ documents: { "page.md": `# Payments\n\n${text}\n` }, settings: { answer_from: 0 } });
  const [documentId = ""] = (await engine.store.documents.heads(engine.domain().name)).keys();
  for (const [start, end] of [
    [0, 90],
    [130, 700],
    [701, 702],
    [1000, 1900],
    [2000, 99_999],
  ] as const) {
    const answer = await engine.answer("When is the pension of a group paid?", { selection: { documentId, start, end } });
    for (const citation of answer.citations) {
      expect(citation.start).toBeGreaterThanOrEqual(start);
      expect(citation.end).toBeLessThanOrEqual(end);
    }
    for (const { passage } of answer.evidence) {
      expect(passage.range.start).toBeGreaterThanOrEqual(start);
      expect(passage.range.end).toBeLessThanOrEqual(end);
      expect(passage.window.start).toBeGreaterThanOrEqual(start);
      expect(passage.window.end).toBeLessThanOrEqual(end);
    }
    expect(answer.status).toBe(end - start > 100 || end === 90 ? "ok" : "insufficient_context");
  }
});
