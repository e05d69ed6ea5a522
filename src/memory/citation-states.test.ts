import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { draftDocuments, toDocument } from "../ingest/to-document.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { Citation, Scope, StoredDocument } from "../shared/types.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { type CitationStanding, citationStates } from "./citation-states.ts";

const SCOPE: Scope = { domain: "d", tenant: null, access: ["public"] };

async function documentOf(markdown: string, path = "rules.md"): Promise<StoredDocument> {
  const [draft] = await draftDocuments({ path, bytes: new TextEncoder().encode(markdown) });
  if (draft === undefined) throw new Error("no document");
  return toDocument({ domain: "d", tenant: null, access: "public", source: "s" }, draft, { id: path, urlOf: () => null });
}

function cite(document: StoredDocument, quote: string): Citation {
  const start = document.text.indexOf(quote);
  if (start < 0) throw new Error(`${quote} does not stand in the document`);
  const from = Math.max(0, start - 300);
  const context = document.text.slice(from, start + quote.length + 300);
  const { id: documentId, version: documentVersion, title, url, asOf } = document;
  const range = { start, end: start + quote.length };
  const original = originalPlaceOf(document, range);
  const named = { n: 1, documentId, documentVersion, chunkId: "", title, url, asOf, headingPath: [], original };
  return { ...named, ...range, quote, context, quoteStart: start - from };
}

/** Returns the state, in the new documents, of a citation of the old documents. */
async function stateOf(citation: Citation, documents: readonly StoredDocument[]): Promise<CitationStanding> {
  const [state] = await citationStates([citation], SCOPE, {
    load: async (_scope, ids) => new Map(documents.filter(({ id }) => ids.includes(id)).map((one) => [one.id, one])),
    holding: async (_scope, text, limit) =>
      documents
        .filter((one) => one.text.includes(text))
        .slice(0, limit)
        .map(({ id }) => id),
  });
  if (state === undefined) throw new Error("no state");
  return state;
}

const RULES = `# Loans

Books may be kept for 21 days by every reader of the library.

## Fines

Overdue books cost 20 cents per day until they are brought back.

## Rooms

A study room can be reserved for two hours and seats six people.
`;
const BOOKS = "Books may be kept for 21 days by every reader of the library.";

describe("citationStates", () => {
  it("is `same` if the text is in its place, also in a new version", async () => {
    const old = await documentOf(RULES);
    const citation = cite(old, BOOKS);
    const now = await documentOf(`${RULES}\nA new last sentence.\n`);
    expect(now.version).not.toBe(old.version);
    expect(await stateOf(citation, [now])).toMatchObject({
      state: "same",
      likeness: 1,
      now: { documentVersion: now.version, quote: BOOKS },
    });
  });

  it("is `moved`, with the new heading and offsets, if the text was shifted", async () => {
    const citation = cite(await documentOf(RULES), BOOKS);
    const now = await documentOf(RULES.replace("# Loans\n\n", "# Loans\n\nWelcome to the library.\n\n").replace("# Loans", "# Borrowing"));
    const standing = await stateOf(citation, [now]);
    expect(standing).toMatchObject({ state: "moved", now: { quote: BOOKS, headingPath: ["Borrowing"] } });
    expect(now.text.slice(standing.now?.start, standing.now?.end)).toBe(BOOKS);
  });

  it("finds the copy with the same surroundings if a text occurs several times", async () => {
    const twice = (first: string) => `# A\n\n${first}Price: 5 dollars.\n\n# B\n\nOf the large one.\n\nPrice: 5 dollars.\n\nPlus tax.\n`;
    const old = await documentOf(twice(""));
    const second = old.text.lastIndexOf("Price: 5 dollars.");
    const citation = { ...cite(old, "Price: 5 dollars."), start: second, context: old.text, quoteStart: second };
    const now = await documentOf(twice("Something new. "));
    expect(await stateOf(citation, [now])).toMatchObject({ state: "moved", now: { headingPath: ["B"] } });
  });

  it("is `changed`, with the new text, if a number differs", async () => {
    const citation = cite(await documentOf(RULES), BOOKS);
    const standing = await stateOf(citation, [await documentOf(RULES.replace("21 days", "14 days"))]);
    expect(standing).toMatchObject({ state: "changed", now: { quote: BOOKS.replace("21", "14") } });
    expect(standing.likeness).toBeLessThan(1);
  });

  it("prefers the changed text of its own document to an old copy elsewhere", async () => {
    const citation = cite(await documentOf(RULES), BOOKS);
    const now = await documentOf(RULES.replace("21 days", "14 days"));
    const copy = await documentOf(`# Archive\n\n${BOOKS}\n`, "archive.md");
    expect(await stateOf(citation, [now, copy])).toMatchObject({ state: "changed", now: { documentId: "rules.md" } });
  });

  it("follows a text into another document when its own is deleted, unless it is short", async () => {
    const old = await documentOf(RULES);
    const other = await documentOf(`# Borrowing\n\n${BOOKS} And 21 days it is.\n`, "borrowing.md");
    expect(await stateOf(cite(old, BOOKS), [other])).toMatchObject({ state: "moved", now: { documentId: "borrowing.md" } });
    expect(await stateOf(cite(old, "21 days"), [other])).toEqual({ n: 1, state: "gone", likeness: 0, now: null });
  });

  it("is `gone` if the sentence was deleted, or the document is hidden from the caller", async () => {
    const citation = cite(await documentOf(RULES), BOOKS);
    expect(await stateOf(citation, [await documentOf(RULES.replace(BOOKS, ""))])).toMatchObject({ state: "gone", now: null });
    expect(await stateOf(citation, [])).toMatchObject({ state: "gone", now: null });
  });

  it("distinguishes edited sentences of real documents from deleted ones", async () => {
    const counts = { edited: 0, editedGone: 0, taken: 0, takenGone: 0, rows: 0, rowsGone: 0, kept: 0, keptMoved: 0 };
    for (const { path, text } of packDocuments()) {
      const old = await documentOf(text, path);
      for (const unit of everyFifth(old.units.filter(({ type, start, end }) => type !== "heading" && end - start >= 60))) {
        const quote = old.text.slice(unit.start, unit.end);
        if (old.text.split(quote).length !== 2) continue;
        const citation = cite(old, quote);
        const changed = (to: string) => ({ ...old, version: "new", text: old.text.replace(quote, () => to) });
        for (const to of edits(quote)) {
          counts.edited++;
          const state = await stateOf(citation, [shifted(changed(to), unit.end, to.length - quote.length)]);
          if (state.state !== "changed") counts.editedGone++;
        }
        const without = shifted(changed(""), unit.end, -quote.length);
        const gone = (await stateOf(citation, [without])).state === "gone" ? 1 : 0;
        // Count table rows separately, because the next row often differs by one value only, like an edited row.
        const [all, found] = unit.type === "table-row" ? (["rows", "rowsGone"] as const) : (["taken", "takenGone"] as const);
        counts[all]++;
        counts[found] += gone;
        counts.kept++;
        const longer = shifted({ ...old, version: "new", text: `Some words before.\n\n${old.text}` }, 0, 20);
        if ((await stateOf(citation, [longer])).state === "moved") counts.keptMoved++;
      }
    }
    expect(counts.taken).toBeGreaterThan(200);
    expect(counts.keptMoved).toBe(counts.kept);
    expect(counts.editedGone / counts.edited).toBeLessThanOrEqual(0.02);
    expect(counts.takenGone / counts.taken).toBeGreaterThanOrEqual(0.9);
    expect(counts.rowsGone / counts.rows).toBeGreaterThanOrEqual(0.7);
  });
});

/** Returns the document with everything from offset `from` on shifted by `by` characters. */
function shifted(document: StoredDocument, from: number, by: number): StoredDocument {
  const move = <Range extends { start: number; end: number }>(range: Range): Range => ({
    ...range,
    start: range.start >= from ? range.start + by : range.start,
    end: range.end >= from ? range.end + by : range.end,
  });
  return { ...document, blocks: document.blocks.map(move), units: document.units.map(move) };
}

function edits(quote: string): string[] {
  const words = quote.split(" ");
  const middle = Math.floor(words.length / 2);
  return [
    [...words.slice(0, middle), "42", ...words.slice(middle + 1)].join(" "),
    [...words.slice(0, middle), "unless the office has agreed to it before,", ...words.slice(middle)].join(" "),
    words.slice(0, Math.ceil((words.length * 2) / 3)).join(" "),
  ];
}

function everyFifth<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, i) => i % 5 === 0);
}

/**
 * Returns the documents of the packs, without pages about single diagnostic codes and sections: these repeat their
 * sentences with another value, so with them .85 instead of .9 of the deleted sentences count as gone.
 */
function packDocuments(): { path: string; text: string }[] {
  const folder = join(PACKAGE_ROOT, "domains");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !/\b(?:dc|cfr)-\d/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}
