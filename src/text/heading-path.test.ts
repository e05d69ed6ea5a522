import { describe, expect, test } from "vitest";
import { chunkDocument } from "../ingest/chunk.ts";
import { parseFile } from "../ingest/parse.ts";
import { headingPathAt } from "./outline.ts";
import { unitsIn } from "./units.ts";

const PAGE =
  "<h1>Ferry</h1><h2>Dogs</h2><details><summary>Big</summary><h2>Fees</h2><p>Ten.</p><details><summary>Groups</summary><p>Nine.</p></details></details><p>On a lead.</p><h3>Small</h3><p>Five.</p>";

describe("where a section ends though no heading follows", () => {
  const [document] = parseFile({ path: "a.html", bytes: Buffer.from(`<title>T</title>${PAGE}`) });
  if (document === undefined) throw new Error("no document");
  const units = unitsIn(document);
  const pathOf = (text: string) => units.find(({ start, end }) => document.text.slice(start, end) === text)?.headingPath.join(" > ");

  test("the headings before it hold again", () => {
    expect(["Ten.", "Nine.", "On a lead.", "Five."].map(pathOf)).toEqual([
      "Ferry > Fees",
      "Ferry > Fees > Groups",
      "Ferry > Dogs",
      "Ferry > Dogs > Small",
    ]);
  });

  test("a document, a part of it from anywhere on and an offset tell the same headings", () => {
    for (const { start, headingPath } of units) {
      expect(headingPathAt(document, start)).toEqual(headingPath);
      expect(unitsIn(document, { start, end: document.text.length })[0]?.headingPath).toEqual(headingPath);
      const rest = unitsIn(document, { start, end: document.text.length }).map((unit) => unit.headingPath);
      expect(rest).toEqual(units.filter((unit) => unit.start >= start).map((unit) => unit.headingPath));
    }
    expect(chunkDocument(document)[0]?.headingPath).toEqual(units[0]?.headingPath);
  });
});
