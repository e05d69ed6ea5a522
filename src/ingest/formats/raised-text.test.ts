import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { readDocuments } from "../parse.ts";
import { docxOf } from "../testing/made-files.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

describe("raised and lowered text", () => {
  test.each([
    ["a power", "The limit is 10<sup>6</sup> cells", "The limit is 10⁶ cells"],
    ["a power below one, in tags", "3 × <i>10</i><sup>&minus;<b>3</b></sup> g", "3 × 10⁻³ g"],
    ["the mark of a note", "Rent is 40<sup>1</sup> dollars", "Rent is 40¹ dollars"],
    ["several marks", "Rent is 40<sup>1, 2</sup> dollars", "Rent is 40¹, ² dollars"],
    ["a mark that leads to its note", 'Rent is 40<sup><a href="#fn1">1</a></sup> dollars', "Rent is 40[1] dollars"],
    ["a mark before its note", "<sup>1</sup> Rent is due", "¹ Rent is due"],
    ["a mark before a figure", "<sup>1</sup>40 dollars", "¹40 dollars"],
    ["what has no raised characters", "2<sup>1.5</sup> times", "2^1.5 times"],
    ["cents", "only $19<sup>99</sup>", "only $19⁹⁹"],
    ["letters behind a figure", "the 1<sup>st</sup> of May", "the 1st of May"],
    ["a formula", "H<sub>2</sub>O and SO<sub>4</sub><sup>2-</sup>", "H2O and SO4²⁻"],
    ["a base", "101<sub>2</sub>, log<sub>2</sub>8", "101₂, log₂8"],
    ["a fraction", "<sup>1</sup>/<sub>2</sub> litre", "¹/₂ litre"],
  ])("%s becomes no other number", (_, source, shown) => {
    expect(parseHtml(`<main><p>${source}.</p></main>`, "a").text).toBe(`${shown}.`);
    expect(parseMarkdown(`Words.\n\n- ${source}.\n`, "a").text).toBe(`Words.\n\n${shown}.`);
  });

  test("leads to its place in the file, in code and in tables too", () => {
    const source = "Up to 10<sup>6</sup> cells\n\n| a |\n|---|\n| 5<sup>2</sup> |\n\n<pre>7<sup>3</sup></pre>\n";
    const { text, sourceMap } = parseMarkdown(source, "a");
    expect(text).toBe("Up to 10⁶ cells\n\na\n5²\n\n7³");
    const { start, end } = toOriginal(sourceMap, { start: text.indexOf("⁶"), end: text.indexOf("⁶") + 1 });
    expect(source.slice(start, end)).toBe("<sup>6</sup>");
  });

  test("is told by the runs of Word files", async () => {
    const run = (text: string, position = "") => `<w:r><w:rPr>${position}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const raised = run("3", '<w:vertAlign w:val="superscript"/>');
    const lowered = run("2", '<w:vertAlign w:val="subscript"/>');
    const bytes = docxOf(`<w:p>${run("At most 10")}${raised}${run(" tonnes of H")}${lowered}${run("O.")}</w:p>`);
    expect((await readDocuments({ path: "a.docx", bytes }))[0]?.text).toBe("At most 10³ tonnes of H2O.");
  });
});
