import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openInTest } from "../../test/support/engine.ts";
import type { TextRange, Unit } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import { clipWindows, type SelectableDocument, searchSelection } from "./search-area.ts";

const WORDS = ["pension", "review", "spouse", "appeal", "dental"] as const;

/** Sentences on one line each, in windows of three and chunks of two windows. */
function documentOf(sentences: readonly string[]): SelectableDocument {
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
    return { ...rangeOf(some), id: `c${ordinal}`, documentId: "d", ordinal, tokens: 18, headingPath: ["pension"], windows: some };
  });
  return { id: "d", version: "v", title: "pension review", text, units, chunks };
}

const search = (term: string) => ({
  terms: [{ token: tokenize(term)[0] as string, weight: 1 }],
  vector: null,
  bm25: true,
  alpha: 0.6,
  beta: 0.4,
  tokens: (text: string) => tokenize(text),
  embed: async () => [],
});

const sentencesArbitrary = fc.array(
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => `${words.join(" ")}.`),
  { minLength: 1, maxLength: 20 },
);

describe("searchSelection", () => {
  it("clips to whole sentences of the selection, and scores no word outside", async () => {
    await fc.assert(
      fc.asyncProperty(sentencesArbitrary, fc.nat(400), fc.nat(200), fc.constantFrom(...WORDS), async (sentences, start, length, term) => {
        const document = documentOf(sentences);
        const selection = { start, end: start + length + 1 };
        const windows = clipWindows(document, selection);
        for (const { range } of windows) {
          expect(range.start).toBeGreaterThanOrEqual(selection.start);
          expect(range.end).toBeLessThanOrEqual(selection.end);
          expect(document.units.some((unit) => unit.start === range.start)).toBe(true);
          expect(document.units.some((unit) => unit.end === range.end)).toBe(true);
        }
        const outside = (at: number) => at < selection.start || at >= selection.end;
        const held = new Set(windows.flatMap(({ range }) => Array.from({ length: range.end - range.start }, (_, i) => range.start + i)));
        const text = [...document.text].map((letter, at) => (/[a-z]/.test(letter) && !held.has(at) && outside(at) ? "x" : letter)).join("");
        const found = await searchSelection(document, [selection], search(term));
        const elsewhere = await searchSelection({ ...document, text, title: "other" }, [selection], search(term));
        expect(elsewhere.map((candidate) => ({ ...candidate, title: document.title }))).toEqual(found);
        for (const { window } of found) expect(document.text.slice(window.start, window.end)).toContain(term);
      }),
    );
  });

  it("finds nothing when no whole sentence is selected", async () => {
    const document = documentOf(["pension review appeal."]);
    expect(await searchSelection(document, [{ start: 1, end: 10 }], search("pension"))).toEqual([]);
  });
});

it("a question about a selection quotes nothing outside, whatever is selected", async () => {
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
    }
    expect(answer.status).toBe(end - start > 100 || end === 90 ? "ok" : "insufficient_context");
  }
});
