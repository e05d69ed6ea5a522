import { describe, expect, it } from "vitest";
import type { Answer, Citation } from "../shared/types.ts";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { fakePassage } from "../testing/passages.ts";
import { answerToWire } from "../wire/index.ts";
import { createAnswerBuilder } from "./answer-builder.ts";
import { readableText, renderAnswerHtml, renderAnswerPlain } from "./render.ts";

const passage = {
  title: "Fees & <fines>",
  url: "https://a.org/fees/",
  asOf: null,
  headingPath: [],
  path: "fees.md",
  context: "Item | Fee\natlas | 3 <b>\nEnd.",
};
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

describe("a table's row", () => {
  it("is read by its header in plain text and HTML, while sentence and citation stay byte-exact", () => {
    expect(renderAnswerPlain(answer)).toBe("Item: atlas; Fee: 3 <b> [1]\nEnd. [2]");
    expect(renderAnswerHtml(answer)).toContain("<p><b>Item:</b> atlas; <b>Fee:</b> 3 &lt;b&gt;<sup>");
    const wire = answerToWire(answer);
    expect(wire.sentences[0]?.text).toBe("atlas | 3 <b>");
    expect(wire.citations[0]).toMatchObject({
      quote: "atlas | 3 <b>",
      row: { cells: [{ name: "Item", text: "atlas" }, {}], header: "Item | Fee", header_start: 1000, header_end: 1010 },
    });
    expect(wire.citations[1]).not.toHaveProperty("row");
  });

  it("says the sentence above its table once for rows behind each other, and not where it stands above already", () => {
    const caption = { start: 900, end: 915, text: "Fees of a loan." };
    const rowWith = (n: number, text: string, item: string): Citation => ({
      ...sampleCitation(n, { ...passage, context: `${passage.context}\n${text}` }, text),
      row: { cells: [{ name: "Item", text: item }], header: { start: 1000, end: 1010, text: "Item | Fee" }, caption },
    });
    const rows = { ...answer, seeAlso: null, citations: [rowWith(1, "atlas | 3 <b>", "atlas"), rowWith(2, "End.", "globe")] };
    expect(renderAnswerPlain(rows)).toBe("Fees of a loan. Item: atlas [1]\nItem: globe [2]");
    expect(renderAnswerHtml(rows).match(/Fees of a loan\./g)).toHaveLength(1);
    expect(readableText({ text: "End.", citations: [2] }, rows.citations, { text: "Fees of a loan.", citations: [1] })).toBe("Item: globe");
    expect(readableText({ text: "End.", citations: [2] }, rows.citations, { text: "Another.", citations: [1] })).toBe(
      "Fees of a loan. Item: globe",
    );
  });

  it("gets its cells when it is cited", () => {
    const table = fakePassage({ pieces: ["Item | Fee", "atlas | 3"].map((text) => ({ type: "table-row" as const, text, header: 0 })) });
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

describe("see also", () => {
  it("is a field of the answer, linked and escaped, never a sentence", () => {
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
