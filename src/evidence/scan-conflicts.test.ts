import { describe, expect, it } from "vitest";
import { type FakePassage, fakePassage, fakeWords } from "../testing/passages.ts";
import { type ScanEvent, type ScannedDocument, scanConflicts } from "./scan-conflicts.ts";

const words = fakeWords();
const titled = (title: string, id: string, ...segments: FakePassage["segments"]): ScannedDocument => ({
  ...document(id, ...segments),
  title,
});
const document = (id: string, ...segments: FakePassage["segments"]): ScannedDocument => {
  const { text, units, document: face } = fakePassage({ document: id, title: "Cards", segments });
  return { id, version: "v1", title: "Cards", url: null, asOf: null, authority: null, text, units, blocks: face.blocks };
};
async function* each(documents: readonly ScannedDocument[]): AsyncGenerator<ScannedDocument, void> {
  yield* documents;
}
const scan = (documents: readonly ScannedDocument[], signal = new AbortController().signal) =>
  Array.fromAsync(scanConflicts(each(documents), words, { total: documents.length, precedence: [], signal }));
const report = (events: readonly ScanEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "conflicts") throw new Error("no report");
  return last;
};

describe("scanConflicts", () => {
  const weighs = (kilograms: number) => `The mower weighs ${kilograms} kg with a full tank of petrol.`;
  /** Counts the conflicts between pages with these titles, each of which gives a different weight. */
  const found = async (one: string, other: string, ...more: string[]) =>
    report(await scan([titled(one, "a", weighs(12)), titled(other, "b", weighs(19), ...more)])).conflicts.length;

  it("finds none between similar pages that each have their own name, and one if both share it", async () => {
    expect(await found("Meadow Plus mower: weight", "Meadow mower: weight")).toBe(0);
    // Both pages name the Meadow mower, so they are about one mower although the second also covers its size.
    expect(await found("Meadow mower: weight", "Meadow mower: weight and size")).toBe(1);
    expect(await found("Meadow mower: weight", "Meadow 2 mower: weight")).toBe(0);
    expect(await found("Meadow mower: weight", "Meadow mower: weight")).toBe(1);
  });

  it("finds none between similar pages if one name is part of the other, or if they differ in a number", async () => {
    const facts = "Green Meadow (electric): weight, sizes, storage and care";
    expect(await found(facts, "Green Meadow Frost-Free: everything that owners want to learn on mowing")).toBe(0);
    expect(await found(facts, "Green Meadow: everything that owners want to learn on mowing")).toBe(1);
    // "Frost-free" contains neither "frost" nor "free" as a word.
    expect(await found("Meadow mower", "Meadow Frost-Free mower", "Keep it free of frost.")).toBe(0);
    // Each page may mention what the other is about.
    const [one, other] = [
      titled("Mower type 1", "a", "The type 2 is heavier.", weighs(12)),
      titled("Mower type 2", "b", "The type 1 is lighter.", weighs(19)),
    ];
    expect(report(await scan([one, other])).conflicts).toEqual([]);
    expect(await found("mower-cut", "mower-sweep")).toBe(0);
    expect(await found("mower-cut", "mower-cut")).toBe(1);
  });

  it("finds none between pages with two subjects, and one between pages without a subject", async () => {
    const known = (cases: number) => `At least ${cases} cases have been described in the books so far.`;
    const about = (name: string) => [`The ${name} causes sneezing at night.`, `Children with ${name} sleep badly.`];
    const found = async (one: string, other: string, a: readonly string[], b: readonly string[]) =>
      report(await scan([titled(one, "a", known(30), ...a), titled(other, "b", known(80), ...b)])).conflicts.length;
    const [marsh, hay] = [about("reed fever"), about("tulip cough")];
    expect(await found("reed fever", "tulip cough", marsh, hay)).toBe(0);
    // A name in a title is the page's subject even if the text rarely repeats it.
    expect(await found("Our Greenwich Almshouse", "tulip cough", [], hay)).toBe(0);
    // "Handbook" and "leaflet" describe the kind of page, not its subject.
    expect(await found("A handbook", "Our leaflet", marsh, marsh)).toBe(1);
    expect(await found("reed fever", "Our leaflet", marsh, marsh)).toBe(1);
    // A name in both sentences identifies the subject, whatever the pages are about.
    const lasted = (days: number) => `The great Harbour Strike lasted ${days} days without a break.`;
    const strike = [titled("reed fever", "a", lasted(30), ...marsh), titled("tulip cough", "b", lasted(80), ...hay)];
    expect(report(await scan(strike)).conflicts).toHaveLength(1);
  });

  it("finds the negation of a similarly worded sentence, but not of a merely related one", async () => {
    const found = async (one: string, other: string) => report(await scan([document("a", one), document("b", other)])).conflicts.length;
    const denied = "Rare old maps are not lent to visitors from abroad.";
    expect(await found(denied, "Rare old maps are lent to visitors from abroad.")).toBe(1);
    expect(await found(denied, "Rare old maps of the harbour are gladly lent to visitors from abroad by our clerks in summer.")).toBe(0);
    expect(await found("Not all old harbour maps are kept in drawers.", "The old harbour maps are kept in drawers.")).toBe(0);
  });

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

  it("compares the sentences of long table cells by column and row", async () => {
    const table = (amount: string) =>
      [
        { type: "table-row", text: " | Harbour card | Castle card" },
        {
          type: "table-row",
          text: `Repairs | None. · Binding: We cover the full costs of a torn binding and up to ${amount} per year. | No repairs are paid for by this card at all, sorry.`,
          header: 0,
        },
      ] as const;
    const sentence = "With a Harbour card we cover the full costs of a torn binding and up to $8 per year.";
    const documents = [document("a", ...table("$5")), document("b", sentence)];
    const { conflicts } = report(await scan(documents));
    expect(conflicts.map(({ sides }) => sides.map(({ value }) => value))).toEqual([["$5", "$8"]]);
    const [cell] = conflicts[0]?.sides ?? [];
    expect(cell?.quote).toBe("Binding: We cover the full costs of a torn binding and up to $5 per year.");
    expect(documents[0]?.text.slice(cell?.start, cell?.end)).toBe(cell?.quote);
    // The other column belongs to another card.
    const other = document("c", sentence.replace("Harbour", "Castle"));
    expect(report(await scan([document("a", ...table("$5")), other])).conflicts).toEqual([]);
    expect(report(await scan([document("a", ...table("$8")), document("b", sentence)])).conflicts).toEqual([]);
  });

  it("stops when it is cancelled, and finds nothing without documents", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(scan([document("a", "A card costs $5.")], stop.signal)).rejects.toThrow("enough");
    expect(report(await scan([])).conflicts).toEqual([]);
  });

  it("compares a bounded number of pairs for each sentence, however many are similar", async () => {
    const compared = async (n: number) =>
      report(
        await scan(Array.from({ length: n }, (_, i) => document(`d${i}`, `The harbour ferry to island ${i} departs after ${i} minutes.`))),
      ).compared;
    const [some, more] = [await compared(300), await compared(600)];
    expect(some).toBeGreaterThan(300);
    expect(more / some).toBeLessThan(2.2);
  });
});
