import { describe, expect, test } from "vitest";
import { processorMs } from "../../testing/processor-time.ts";
import { readDocuments } from "../parse.ts";
import { docxOf } from "../testing/made-files.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

const NOTICE = [
  { code: "struck_text", message: "2 characters that are struck through or deleted were left out: they do not hold any more" },
];

describe("text that is struck through is left out, and said", () => {
  test.each([
    ["as deleted", "<del>40</del> <ins>50</ins>", ""],
    ["as no longer true", "<s>40</s> 50", ""],
    ["by an old tag", "<strike><b>40</b></strike> 50", ""],
    ["by its style", '<span style="text-decoration: line-through red">40</span> 50', ""],
    ["by a class", '<span class="old">40</span> 50', "<style>.old { text-decoration-line: line-through }</style>"],
  ])("%s", (_, fee, head) => {
    for (const read of [
      parseHtml(`${head}<main><p>The fee is ${fee}.</p></main>`, "a"),
      parseMarkdown(`${head}\n\nThe fee is ${fee}.\n`, "a"),
    ]) {
      expect(read.text).toBe("The fee is 50.");
      expect(read.notices).toEqual(NOTICE);
    }
  });

  test("a tag that nothing closes strikes nothing", () => {
    expect(parseMarkdown("A List<S> of boats.\n\nThe fee is 50.\n", "a").text).toBe("A List of boats.\n\nThe fee is 50.");
    expect(parseHtml("<main><p>The <s>fee</p><p>is 50.</p></main>", "a").notices).toEqual([]);
  });

  test.each([
    ["between two tildes", "The fee is ~~40~~ 50.", "The fee is 50."],
    ["with other marks", "The fee is ~~**40** or <b>45</b>~~ 50.", "The fee is 50."],
    ["over a line break", "The fee ~~was\n40 and~~ is 50.", "The fee is 50."],
    ["an item", "- ~~Pay 40.~~\n- Pay 50.", "Pay 50."],
    ["a cell", "| Fee |\n| --- |\n| ~~40~~ 50 |", "Fee\n50"],
  ])("in Markdown %s", (_, source, shown) => {
    const { text, notices } = parseMarkdown(`# Fees\n\n${source}\n`, "a");
    expect(text).toBe(`Fees\n\n${shown}`);
    expect(notices?.map(({ code }) => code)).toEqual(["struck_text"]);
  });

  test.each([
    ["in code", "Write `~~a~~` so."],
    ["escaped", "Write \\~~a\\~~ so."],
    ["apart from words", "From 4 ~~ 5 or ~~ 6."],
    ["single", "Some ~5 or ~6 boats."],
    ["without an end", "Pay ~~40."],
    ["of two paragraphs", "Pay ~~40.\n\nPay 50~~."],
    ["of two cells", "| a | b |\n| --- | --- |\n| ~~4 | 5~~ |"],
    ["in a block of code", "```\na ~~b~~\n```"],
    ["as a fence", "~~~\na\n~~~"],
  ])("tildes %s strike nothing", (_, source) => {
    const { text, notices } = parseMarkdown(`# Fees\n\n${source}\n`, "a");
    expect(notices).toEqual([]);
    expect(text.length).toBeGreaterThan(6);
  });

  test("in Word files: struck once, twice, or deleted by a tracked change", async () => {
    const run = (text: string, how = "") => `<w:r><w:rPr>${how}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const deleted = '<w:del w:id="1" w:author="a"><w:r><w:delText>46</w:delText></w:r></w:del>';
    const struck = `${run("40", "<w:strike/>")}${run("45", "<w:dstrike/>")}${deleted}`;
    const bytes = docxOf(`<w:p>${run("The fee is ")}${struck}${run(" 50.")}</w:p>`);
    const [document] = await readDocuments({ path: "a.docx", bytes });
    expect(document?.text).toBe("The fee is 50.");
    expect(document?.reading.notices.map(({ code, message }) => [code, Number.parseInt(message, 10)])).toEqual([
      ["struck_text", 4],
      ["struck_text", 2],
    ]);
  });

  test("is found in time that grows with the text alone", () => {
    for (const unit of ["~~a ", "~~a~~ ", "a~~ ", "`~~", "~~a\n"]) {
      const started = process.cpuUsage();
      parseMarkdown(unit.repeat(30_000), "a");
      expect(processorMs(started), unit).toBeLessThan(4_000);
    }
  });
});
