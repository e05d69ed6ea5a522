import { describe, expect, it } from "vitest";
import { goldenItem } from "../testing/golden-item.ts";
import { countGolden, goldenFigures, reportGolden } from "./golden-report.ts";

/** Right by its key values alone: no place of it is marked. */
const unplaced = (id: string) => goldenItem(id, { right: true, first: null, page: null, quoted: null, needs: "lookup" });
const countsOf = (items: Parameters<typeof countGolden>[0]) =>
  Object.fromEntries(countGolden(items).map(({ name, hits, n }) => [name, `${hits} of ${n}`]));

describe("countGolden", () => {
  it("counts what could not be told as nothing, in no figure as a failure", () => {
    const placed = goldenItem("p", { right: true, first: true, page: true, quoted: true });
    expect(countsOf([placed, ...["a", "b", "c", "d"].map(unplaced)])).toMatchObject({
      "answered.answerable": "5 of 5",
      "right.answerable": "5 of 5",
      "page.answerable": "1 of 1",
      "quoted.answerable": "1 of 1",
      "first.right": "1 of 1",
    });
    expect(goldenFigures([unplaced("a")])).toMatchObject({ "right.answerable": 1, "quoted.answerable": null, "first.right": null });
  });

  it("counts every question of a set whose quotes are all marked, as before", () => {
    const items = [
      goldenItem("a", { right: true, first: true, page: true, quoted: true }),
      goldenItem("b", { right: true, first: false, page: true, quoted: true }),
      goldenItem("c", { right: false, first: null, page: true, quoted: false }),
      goldenItem("d", { shown: false, right: false, first: null, page: false, quoted: false }),
    ];
    expect(countsOf(items)).toMatchObject({
      "right.answerable": "2 of 4",
      "page.answerable": "3 of 4",
      "quoted.answerable": "2 of 4",
      "first.right": "1 of 2",
    });
  });

  it("says by need what its figure says: of those that could be told", () => {
    const untold = goldenItem("x", { right: null, first: null, page: null, quoted: null, needs: "lookup" });
    const sets = [
      { name: "s", items: [unplaced("a"), untold], latenciesMs: [], checksMs: [], ingested: { documents: 0, chunks: 0, ms: 0 } },
    ];
    const { report, table } = reportGolden(sets, { command: "", now: new Date(0) });
    expect(report.metrics["needs.lookup.right"]).toBe(1);
    expect(table.find(({ name }) => name === "needs.lookup")?.figure).toBe("1 of 1");
  });
});
