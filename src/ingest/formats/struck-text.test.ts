import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { readDocuments } from "../parse.ts";
import { docxOf } from "../testing/made-files.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

const NOTICE = [{ code: "struck_text", message: "2 struck or deleted characters were left out, because they no longer apply" }];

describe("struck-through text is omitted with a notice", () => {
  test.each([
    ["by a deletion tag", "<del>40</del> <ins>50</ins>", ""],
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

  test("an unclosed tag strikes nothing", () => {
    expect(parseMarkdown("A List<S> of boats.\n\nThe fee is 50.\n", "a").text).toBe("A List of boats.\n\nThe fee is 50.");
    expect(parseHtml("<main><p>The <s>fee</p><p>is 50.</p></main>", "a").notices).toEqual([]);
  });

  test.each([
    ["between two tildes", "The fee is ~~40~~ 50.", "The fee is 50."],
    ["with other markup", "The fee is ~~**40** or <b>45</b>~~ 50.", "The fee is 50."],
    ["an item", "- ~~Pay 40.~~\n- Pay 50.", "Pay 50."],
    ["beside a link", "The fee is ~~[40](http://a.b) or http://a.b/c~~ 50.", "The fee is 50."],
    ["a cell with a bar inside", "Fee | To\n--- | ---\n~~4 \\| 0~~ 50 | me", "Fee | To\n50 | me"],
    ["a cell", "| Fee |\n| --- |\n| ~~40~~ 50 |", "Fee\n50"],
  ])("in Markdown %s", (_, source, shown) => {
    const { text, notices } = parseMarkdown(`# Fees\n\n${source}\n`, "a");
    expect(text).toBe(`Fees\n\n${shown}`);
    expect(notices?.map(({ code }) => code)).toEqual(["struck_text"]);
  });

  test.each([
    ["in code", "Write `~~a~~` so."],
    ["escaped", "Write \\~~a\\~~ so."],
    ["without a closing pair", "Pay ~~40."],
    ["in two cells of a table without outer borders", "a | b\n--- | ---\n1 ~~2 | 3~~ 4"],
    ["in indented code", "    a ~~b~~ c"],
    ["in two cells", "| a | b |\n| --- | --- |\n| ~~4 | 5~~ |"],
    ["in a block of code", "```\na ~~b~~\n```"],
  ])("tildes %s strike nothing", (_, source) => {
    const { text, notices } = parseMarkdown(`# Fees\n\n${source}\n`, "a");
    expect(notices).toEqual([]);
    expect(text.match(/~+/g)).toEqual(source.match(/~+/g));
  });

  test("in Word files: struck once, twice, or deleted by a tracked change", async () => {
    const run = (text: string, how = "") => `<w:r><w:rPr>${how}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const deleted = '<w:del w:id="1" w:author="a"><w:r><w:delText>46</w:delText></w:r></w:del>';
    const struck = `${run("40", "<w:strike/>")}${run("45", "<w:dstrike/>")}${deleted}`;
    const bytes = docxOf(`<w:p>${run("The fee is ")}${struck}${run(" 50.")}</w:p>`);
    const [document] = await readDocuments({ path: "a.docx", bytes });
    expect(document?.text).toBe("The fee is 50.");
    expect(document?.reading.notices.map(({ code, message }) => [code, Number.parseInt(message, 10)])).toEqual([["struck_text", 6]]);
  });

  test.each([
    ["struck once, but not twice", '<w:strike/><w:color w:val="FF0000"/><w:dstrike w:val="0"/>', true],
    ["not struck at all", '<w:strike w:val="0"/><w:dstrike w:val="off"/>', false],
    ["only before a tracked change", '<w:rPrChange w:id="1" w:author="a"><w:rPr><w:strike/><w:vanish/></w:rPr></w:rPrChange>', false],
    ["by a tracked change", '<w:dstrike/><w:rPrChange w:id="1" w:author="a"><w:rPr><w:strike w:val="0"/></w:rPr></w:rPrChange>', true],
  ])("in Word files: %s", async (_, looks, isStruck) => {
    const run = `<w:r><w:rPr>${looks}</w:rPr><w:t xml:space="preserve">40 or </w:t></w:r>`;
    const body = (text: string) => `<w:p><w:r><w:t xml:space="preserve">The fee is </w:t></w:r>${run}<w:r><w:t>${text}</w:t></w:r></w:p>`;
    const [document] = await readDocuments({ path: "a.docx", bytes: docxOf(body("50.")) });
    expect(document?.text).toBe(isStruck ? "The fee is 50." : "The fee is 40 or 50.");
  });

  test("text around it keeps its place in the file", () => {
    const sources = ["<main><p>Fee <s>4</s> 10<sup>6</sup> cells.</p></main>", "Fee ~~4~~ 10<sup>6</sup> cells.\n"];
    for (const [i, source] of sources.entries()) {
      const { text, sourceMap } = i === 0 ? parseHtml(source, "a") : parseMarkdown(source, "a");
      expect(text).toBe("Fee 10⁶ cells.");
      const original = (part: string) => {
        const at = text.indexOf(part);
        const { start, end } = toOriginal(sourceMap, { start: at, end: at + part.length });
        return source.slice(start, end);
      };
      expect(["Fee", "10", "⁶", "10⁶", "cells."].map(original)).toEqual(["Fee", "10", "<sup>6</sup>", "10<sup>6</sup>", "cells."]);
    }
  });
});
