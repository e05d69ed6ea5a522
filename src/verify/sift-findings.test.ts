import { describe, expect, it } from "vitest";
import { fakeWords } from "../testing/passages.ts";
import { createFactReader, type Fact } from "./facts.ts";
import { type Finding, siftFindings } from "./scan-conflicts.ts";

const words = fakeWords();
const reader = createFactReader();
const factOf = (text: string): Fact =>
  reader.read({ text, type: "paragraph", start: 0, end: text.length, title: "", above: [], previous: "", next: "" }, words);

let count = 0;
const stated = (documentId: string, text: string) => ({ at: count++, documentId, fact: factOf(text) });
type Stated = ReturnType<typeof stated>;

/** Statements differ in their first amounts. */
function finding(a: Stated, b: Stated, over: Partial<Finding["difference"]> = {}): Finding {
  const range = ({ fact }: Stated) => ({ start: fact.amounts[0]?.start ?? 0, end: fact.amounts[0]?.end ?? 1 });
  return { difference: { type: "differ", kind: "value", certainty: 0.5, a: range(a), b: range(b), ...over }, a, b };
}
const none = () => [];

describe("siftFindings", () => {
  it("lists the most certain first, and each pair of values once", () => {
    const [a, b, c, d] = [
      stated("a", "The fee is $5."),
      stated("b", "The fee is $8."),
      stated("c", "It costs $5."),
      stated("d", "It costs $8."),
    ];
    const other = finding(stated("e", "Open for 3 days."), stated("f", "Open for 4 days."), { certainty: 0.4 });
    const sifted = siftFindings([other, finding(a, b), finding(c, d, { certainty: 0.6 })], none);
    expect(sifted.map(({ a: { documentId } }) => documentId)).toEqual(["c", "e"]);
  });

  it("leaves out a value that the other document gives too, of the same", () => {
    const [a, b] = [stated("a", "A harbour card costs $5 for adults."), stated("b", "A harbour card costs $8 for families.")];
    const also = factOf("A harbour card costs $5 for single adults.");
    const elsewhere = factOf("Parking costs $5.");
    expect(siftFindings([finding(a, b)], (id) => (id === "b" ? [b.fact, also] : [a.fact]))).toEqual([]);
    expect(siftFindings([finding(a, b)], (id) => (id === "b" ? [b.fact, elsewhere] : [a.fact]))).toHaveLength(1);
  });

  it("lists one statement twice at most", () => {
    const odd = stated("odd", "Cards are never lent.");
    const many = Array.from({ length: 5 }, (_, i) => finding(odd, stated(`d${i}`, `Card ${i} is lent.`), { kind: "polarity" }));
    expect(siftFindings(many, none)).toHaveLength(2);
  });

  it("stands nothing", () => {
    expect(siftFindings([], none)).toEqual([]);
  });
});
