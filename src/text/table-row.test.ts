import { describe, expect, it } from "vitest";
import { nameCells, readCells } from "./table-row.ts";

describe("nameCells", () => {
  it("names every cell by its column", () => {
    expect(nameCells("Form | Deadline", "10182 | 1 year")).toEqual([
      { name: "Form", text: "10182" },
      { name: "Deadline", text: "1 year" },
    ]);
  });

  it("leaves empty cells out and keeps the places of the others", () => {
    expect(nameCells("| 2019 | 2018 | 2017", "Sales | | 4")).toEqual([
      { name: "", text: "Sales" },
      { name: "2018", text: "4" },
    ]);
  });

  it.each([
    ["a | b", "1 | 2 | 3"],
    ["a | b", "one cell"],
    ["a | b", ""],
    ["a | b", "| |"],
    ["", "1 | 2"],
  ])("does not guess: header %j, row %j", (header, row) => expect(nameCells(header, row)).toBeNull());
});

describe("readCells", () => {
  it("writes a row in one line", () => {
    expect(readCells(nameCells("| Form | Form", "Board | 10182 | Form") ?? [])).toBe("Board; Form: 10182; Form");
  });
});
