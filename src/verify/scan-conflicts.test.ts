import { describe, expect, it } from "vitest";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { type ScanEvent, type ScannedDocument, scanConflicts } from "./scan-conflicts.ts";

const words = fakeWords();
const document = (id: string, ...pieces: string[]): ScannedDocument => {
  const { text, units, document: face } = fakePassage({ document: id, title: "Cards", pieces });
  return { id, version: "v1", title: "Cards", url: null, asOf: null, authority: null, text, units, blocks: face.blocks };
};
async function* each(documents: readonly ScannedDocument[]): AsyncGenerator<ScannedDocument, void> {
  yield* documents;
}
async function scan(documents: readonly ScannedDocument[], signal = new AbortController().signal): Promise<ScanEvent[]> {
  const events: ScanEvent[] = [];
  for await (const event of scanConflicts(each(documents), words, { total: documents.length, precedence: [], signal })) events.push(event);
  return events;
}
const report = (events: readonly ScanEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "conflicts") throw new Error("no report");
  return last;
};

describe("scanConflicts", () => {
  it("lists contradictions with exact quotes, most certain first, and reports progress", async () => {
    const documents = [
      document("a", "A library card costs $5 per year.", "Rare old maps of the harbour are lent for 20 days to visitors."),
      document("b", "The museum roof is green.", "A library card costs $8 per year."),
      document("c", "Rare old maps of the harbour are lent for 30 days to visitors."),
    ];
    const events = await scan(documents);
    expect(events.filter(({ type }) => type === "progress").map((event) => event.type === "progress" && event.done)).toEqual([1, 2, 3]);
    const { conflicts, statements } = report(events);
    expect(conflicts.map(({ sides }) => sides.map(({ value, documentId }) => `${value} ${documentId}`))).toEqual([
      ["20 days a", "30 days c"],
      ["$5 a", "$8 b"],
    ]);
    expect(statements).toBe(5);
    for (const { sides } of conflicts)
      for (const { documentId, start, end, quote } of sides)
        expect(documents.find(({ id }) => id === documentId)?.text.slice(start, end)).toBe(quote);
  });

  it("stops at an abort, and finds nothing in nothing", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(scan([document("a", "A card costs $5.")], stop.signal)).rejects.toThrow("enough");
    expect(report(await scan([])).conflicts).toEqual([]);
  });

  it("compares a bounded number of pairs for each statement, however many are alike", async () => {
    const compared = async (n: number) =>
      report(
        await scan(Array.from({ length: n }, (_, i) => document(`d${i}`, `The harbour ferry to island ${i} departs after ${i} minutes.`))),
      ).compared;
    const [some, more] = [await compared(300), await compared(600)];
    expect(some).toBeGreaterThan(300);
    expect(more / some).toBeLessThan(2.2);
  });
});
