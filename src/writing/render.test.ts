import { describe, expect, it } from "vitest";
import type { Answer, Citation } from "../shared/types.ts";
import { sampleAnswer, sampleCitation, samplePage } from "../testing/answers.ts";
import { fakePassage } from "../testing/passages.ts";
import { answerToWire } from "../wire/index.ts";
import { lineText } from "./lines.ts";
import { createAnswerBuilder } from "./quotes.ts";
import { answerLines, renderAnswerHtml, renderAnswerPlain } from "./render.ts";

const context = "Item | Fee\natlas | 3 <b>\nEnd.";
const passage = samplePage({ title: "Fees & <fines>", url: "https://a.org/fees/", path: "fees.md", context });
const row: Citation = {
  ...sampleCitation(1, passage, "atlas | 3 <b>"),
  row: {
    cells: [
      { name: "Item", text: "atlas" },
      { name: "Fee", text: "3 <b>" },
    ],
    header: { start: 1000, end: 1010, text: "Item | Fee" },
  },
};
const answer: Answer = sampleAnswer({
  question: "How much is an atlas?",
  sentences: [
    { text: "atlas | 3 <b>", citations: [1] },
    { text: "End.", citations: [2] },
  ],
  citations: [row, sampleCitation(2, passage, "End.")],
  seeAlso: { documentId: "x", documentVersion: "1", title: "More <fees>", heading: "Waivers", url: "https://a.org/more/?a=1&b=2" },
});

describe("a table row", () => {
  it("is read by its header in plain text and HTML, while sentence and citation stay byte-exact", () => {
    expect(renderAnswerPlain(answer)).toBe("atlas: 3 <b> (Fee) [1]\nEnd. [2]");
    expect(renderAnswerHtml(answer)).toContain("<p>atlas: <b>3 &lt;b&gt;</b> (Fee)<sup>");
    const wire = answerToWire(answer);
    expect(wire.sentences[0]?.text).toBe("atlas | 3 <b>");
    expect(wire.citations[0]).toMatchObject({
      quote: "atlas | 3 <b>",
      row: { cells: [{ name: "Item", text: "atlas" }, {}], header: "Item | Fee", header_start: 1000, header_end: 1010 },
    });
    expect(wire.citations[1]).not.toHaveProperty("row");
  });

  it("shows the caption once for consecutive rows, and not if it was already shown", () => {
    const caption = { start: 900, end: 915, text: "Fees of a loan." };
    const rowWith = (n: number, text: string, item: string): Citation => ({
      ...sampleCitation(n, { ...passage, context: `${passage.context}\n${text}` }, text),
      row: { cells: [{ name: "Item", text: item }], header: { start: 1000, end: 1010, text: "Item | Fee" }, caption },
    });
    const rows = { ...answer, seeAlso: null, citations: [rowWith(1, "atlas | 3 <b>", "atlas"), rowWith(2, "End.", "globe")] };
    expect(renderAnswerPlain(rows)).toBe("Fees of a loan. Item: atlas [1]\nItem: globe [2]");
    expect(renderAnswerHtml(rows).match(/Fees of a loan\./g)).toHaveLength(1);
    const below = (text: string) => {
      const sentences = [
        { text, citations: [1] },
        { text: "End.", citations: [2] },
      ];
      return answerLines({ ...rows, sentences }).map(lineText)[1];
    };
    expect(below("Fees of a loan.")).toBe("Item: globe");
    expect(below("Another.")).toBe("Fees of a loan. Item: globe");
  });

  it("has its cells in the citation", () => {
    const table = fakePassage({ segments: ["Item | Fee", "atlas | 3"].map((text) => ({ type: "table-row" as const, text, header: 0 })) });
    const header = { start: 0, end: 10, text: "Item | Fee" };
    const { citations } = createAnswerBuilder().add("atlas | 3", [{ passage: table, start: 11, end: 20, text: "atlas | 3", header }]);
    expect(citations[0]?.row).toEqual({
      cells: [
        { name: "Item", text: "atlas" },
        { name: "Fee", text: "3" },
      ],
      header,
    });
  });
});

describe("the cell that answers", () => {
  const names = ["Route", "Adult fare", "Child fare", "Crossing time", "Operator", "First trip"];
  const cells = ["Harbour to Gull Rock", "€22.00", "€11.00", "80 minutes", "North Star", "3 April"].map((text, i) => ({
    name: names[i] ?? "",
    text,
  }));
  const text = cells.map((cell) => cell.text).join(" | ");
  const fares = { start: 0, end: 9, text: names.join(" | ") };
  const cited: Citation = { ...sampleCitation(1, { ...passage, context: text }, text), row: { cells, header: fares } };
  const asked = (question: string) => {
    const one = sampleAnswer({ question, sentences: [{ text, citations: [1] }], citations: [cited] });
    const { answer_spans: spans = [] } = answerToWire(one);
    return [renderAnswerPlain(one).split(";")[0], ...spans.map(({ start, end }) => text.slice(start, end))];
  };

  it.each([
    ["How much is the adult fare from the harbour to Gull Rock?", "€22.00 (Adult fare)", "€22.00"],
    ["How much does a child pay to Gull Rock?", "€11.00 (Child fare)", "€11.00"],
    ["How long is the crossing to Gull Rock?", "80 minutes (Crossing time)", "80 minutes"],
    ["When is the first trip to Gull Rock?", "3 April (First trip)", "3 April"],
    ["Which operator serves Gull Rock?", "North Star (Operator)", "North Star"],
    ["Which operator runs the route to Gull Rock?", "North Star (Operator)", "North Star"],
    ["How many minutes is the Gull Rock crossing?", "80 minutes (Crossing time)", "80 minutes"],
    ["When does the North Star make its first trip?", "3 April (First trip)", "3 April"],
  ])("is first and highlighted: %s", (question, first, marked) => {
    expect(asked(question)).toEqual([`Harbour to Gull Rock: ${first}`, marked]);
  });

  it.each([
    ["How much is the fare to Gull Rock?", "two columns fit"],
    ["How much is it to Gull Rock?", "no column is named"],
    ["What is the adult fare to Seaton?", "the question names another row"],
    ["Who pays the adult fare of €22.00?", "the question states the value"],
  ])("is not highlighted: %s (%s)", (question) => {
    expect(asked(question)).toEqual(["Route: Harbour to Gull Rock"]);
  });
});

describe("the label of a line", () => {
  const context =
    "Opening the pool\n\n1. Check the chlorine.\n2. Unlock the showers.\n\nMay dogs swim?\n\nYes, on Sundays.\n\nThey need a lead.";
  const rules = { ...passage, title: "Pool rules", context };
  const of = (...quotes: readonly (readonly [heading: string, quote: string])[]) =>
    renderAnswerPlain(
      sampleAnswer({
        question: "?",
        sentences: quotes.map(([, text], i) => ({ text, citations: [i + 1] })),
        citations: quotes.map(([heading, quote], i) => sampleCitation(i + 1, { ...rules, headingPath: ["Pool rules", heading] }, quote)),
      }),
    ).split("\n");

  it("is the heading of a list item, of an answer to it, and of a quote from another section", () => {
    expect(of(["Opening the pool", "1. Check the chlorine."], ["Opening the pool", "2. Unlock the showers."])).toEqual([
      "Opening the pool – 1. Check the chlorine. [1]",
      "2. Unlock the showers. [2]",
    ]);
    expect(of(["May dogs swim?", "Yes, on Sundays."])).toEqual(["May dogs swim? Yes, on Sundays. [1]"]);
    expect(of(["Rain", "They need a lead."], ["Dogs", "Yes, on Sundays."])).toEqual([
      "They need a lead. [1]",
      "Dogs – Yes, on Sundays. [2]",
    ]);
  });

  it("is omitted if the text mentions the heading", () => {
    expect(of(["Rain", "Yes, on Sundays."], ["Leads", "They need a lead."])).toEqual(["Yes, on Sundays. [1]", "They need a lead. [2]"]);
  });
});

describe("see also", () => {
  it("is a field of the answer, linked and escaped, but not a sentence", () => {
    expect(renderAnswerHtml(answer)).toContain(
      '<p>See also: <a href="https://a.org/more/?a=1&amp;b=2" rel="noopener">More &lt;fees&gt;</a> – Waivers</p>',
    );
    expect(renderAnswerPlain(answer)).not.toContain("See also");
    expect(answerToWire(answer).see_also).toEqual({
      title: "More <fees>",
      heading: "Waivers",
      url: "https://a.org/more/?a=1&b=2",
      document_id: "x",
    });
  });
});
