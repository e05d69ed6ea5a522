import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReadSet, SetDocument } from "../reader/ask.ts";
import { makeDocument, rangeIn } from "../reader/documents.ts";
import { readTables } from "./tables.ts";

const TABLES = 60;

let folder = "";
let set: ReadSet;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  mkdirSync(join(folder, "tabfact"));
  const table = (n: number) => ({
    table_id: `t${n}`,
    caption: `Harbours of coast ${n}`,
    header: ["", "Harbour", "Depth in metres", "Opened"],
    rows: Array.from({ length: 8 }, (_, i) => ["", `Port ${"ABCDEFGH"[i]}${n}`, `${3 + i}`, `${1900 + i}`]),
  });
  const few = { ...table(999), table_id: "few", rows: table(999).rows.slice(0, 2) };
  const keyless = { ...table(998), table_id: "keyless", rows: Array.from({ length: 5 }, () => ["", "Port", "3", "1900"]) };
  const lines = [...Array.from({ length: TABLES }, (_, n) => table(n)), few, keyless];
  writeFileSync(join(folder, "tabfact", "tables.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  set = readTables(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Text of the marked answer as it stands in the made document. */
function markedIn(documents: readonly SetDocument[], key: string, span: readonly [number, number]): string {
  const { id, title, scope, pieces } = documents.find((one) => one.id === `tables/${key}`) as SetDocument;
  const { document, places } = makeDocument(id, title, scope, pieces);
  const range = places[0] === undefined ? null : rangeIn(places[0], span);
  return range === null ? "" : document.text.slice(range.start, range.end);
}

describe("readTables", () => {
  it("marks the row whose key is asked for, in short tables and long ones", () => {
    const answered = set.asks.filter(({ known }) => known.some(({ answers }) => answers));
    expect(answered.length).toBeGreaterThan(TABLES);
    expect(answered.some(({ known }) => known[0]?.key.startsWith("long "))).toBe(true);
    for (const { question, known } of answered)
      for (const { key, spans } of known) {
        expect(spans).toHaveLength(1);
        const row = markedIn(set.documents, key, spans[0] as [number, number]);
        const cells = row.split(" | ").filter((cell) => cell.trim() !== "");
        expect(cells.some((cell) => question.includes(cell) && /\p{L}/u.test(cell))).toBe(true);
      }
  });

  it("marks nothing where the key stands in no row, or all rows are asked about", () => {
    const refused = set.asks.filter(({ form }) => form === "twin");
    expect(refused.length).toBeGreaterThan(0);
    for (const { known } of refused) expect(known).toMatchObject([{ answers: false, spans: [] }]);
  });

  it("asks nothing of tables without a column that tells their rows apart, and leaves out tables of two rows", () => {
    expect(set.documents.map(({ id }) => id)).not.toContain("tables/few");
    expect(set.asks.filter(({ known }) => known[0]?.key === "keyless")).toEqual([]);
  });

  it("keeps a table and what is made of it on one side of the split", () => {
    for (const { known, split } of set.asks) {
      const key = (known[0]?.key ?? "").replace("long ", "");
      const others = set.asks.filter((ask) => (ask.known[0]?.key ?? "").replace("long ", "") === key);
      expect(new Set(others.map((ask) => ask.split))).toEqual(new Set([split]));
    }
  });

  it("gives the same questions each time", () => {
    expect(readTables(folder)).toEqual(set);
  });
});
