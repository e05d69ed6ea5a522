import { describe, expect, it } from "vitest";
import { csvOf, xlsxOf } from "../src/ingest/testing/made-files.ts";
import { readRankingWeights } from "../src/ranking/features.ts";
import { originalPlaceOf } from "../src/text/original-place.ts";
import { libraryForAll } from "./support/engine.ts";
import { rounds } from "./support/trials.ts";

/** The bundled threshold. */
const SHIPPED = { answer_from: readRankingWeights().threshold.minimum };
const ROWS = rounds({ all: 5_000, usually: 400 });
const HEADER = ["Article", "Name", "Warehouse", "Price", "Stock"];
const NAMES = ["Hinge", "Lamp", "Gasket", "Socket", "Bracket", "Pump", "Valve", "Handle", "Filter", "Spring"];
const PLACES = ["Aachen", "Bergen", "Cadiz", "Dover", "Esbjerg", "Faro", "Ghent"];

function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function makeRows(): string[][] {
  const next = draws(7);
  const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] as string;
  return Array.from({ length: ROWS }, (_, i) => [
    `KX-${String(10_000 + i)}`,
    pick(NAMES),
    pick(PLACES),
    (1 + next() * 900).toFixed(2).replace(/0$/, "5"),
    String(Math.floor(next() * 9_000)),
  ]);
}

describe.each([
  ["csv", (rows: readonly (readonly string[])[]) => Buffer.from(csvOf(rows))],
  ["xlsx", (rows: readonly (readonly string[])[]) => xlsxOf([{ name: "Stock", rows }])],
] as const)(`a table of ${ROWS} rows as %s`, (format, write) => {
  const rows = makeRows();
  // Ingested once: no test changes the store.
  const library = libraryForAll({ settings: SHIPPED, documents: { [`stock.${format}`]: write([HEADER, ...rows]) } });

  it("finds every row by its key among the first passages, with its row number", { timeout: 900_000 }, async () => {
    const { engine } = library;
    const next = draws(11);
    const missed: string[] = [];
    const bare: string[] = [];
    for (let n = 0; n < rounds({ all: 200, usually: 10 }); n++) {
      const at = Math.floor(next() * ROWS);
      const [key = ""] = rows[at] ?? [];
      const { passages } = await engine.search(`What is the price of article ${key}?`);
      const found = passages.flatMap(({ document, units, text, range }) =>
        units
          .filter(({ start, end }) => text.slice(start - range.start, end - range.start).startsWith(`${key} `))
          .map((unit) => ({ header: unit.header?.text, cells: originalPlaceOf(document, unit).cells ?? [] })),
      );
      const own = found.find(({ cells }) => cells.some(({ row }) => row === at + 2));
      if (own === undefined) missed.push(key);
      // Each row needs its column names, wherever in the table it is.
      else if (own.header !== HEADER.join(" | ") || own.cells.length !== HEADER.length) bare.push(key);
    }
    expect(missed).toEqual([]);
    expect(bare).toEqual([]);
  });

  it("answers questions by key from that row alone, and refuses unknown keys", { timeout: 900_000 }, async () => {
    const next = draws(13);
    const count = rounds({ all: 200, usually: 10 });
    const wrong: string[] = [];
    let answered = 0;
    for (let n = 0; n < count; n++) {
      const at = Math.floor(next() * ROWS);
      const [key = ""] = rows[at] ?? [];
      // Prices are bare numbers here and often refused, because nothing marks them as prices.
      for (const question of [`How many ${key} are in stock?`, `What is the price of ${key}?`]) {
        const { status, citations } = await library.ask(question);
        if (status !== "ok") continue;
        if (question.startsWith("How many")) answered++;
        if (citations[0]?.original.cells?.[0]?.row !== at + 2) wrong.push(question);
      }
      const absent = `KX-${20_000 + n}`;
      if ((await library.ask(`How many ${absent} are in stock?`)).status === "ok") wrong.push(absent);
    }
    expect(wrong).toEqual([]);
    expect(answered).toBeGreaterThanOrEqual(0.8 * count);
  });

  it("refuses sums and maxima over the table, or cites every row", async () => {
    const wrong: string[] = [];
    for (const question of [
      "What is the total stock of all articles?",
      "What is the sum of all prices?",
      "Which article has the highest price?",
      "What is the lowest stock?",
      "What is the average price of a lamp?",
      "How many articles are in Bergen?",
    ]) {
      const { status, citations } = await library.ask(question);
      const rows = new Set(citations.flatMap(({ original }) => (original.cells ?? []).map(({ row }) => row)));
      if (status === "ok" && rows.size < ROWS) wrong.push(`${question}: ${citations.map(({ quote }) => quote).join(" / ")}`);
    }
    expect(wrong).toEqual([]);
  });
});
