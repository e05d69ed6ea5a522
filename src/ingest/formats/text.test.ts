import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { parseFile } from "../parse.ts";
import { parseFirst, readFirst } from "../testing/first-document.ts";
import { faultsOf } from "../testing/soundness.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";
import cases from "./text.cases.json" with { type: "json" };
import { parseText } from "./text.ts";

test.each(cases.blocks as [string, string[], string][])("%j (%#)", (source, expected) => {
  expect(blocksOf(parseText(source, "file"))).toEqual(expected);
});

test.each(cases.titles)("title of %j: %s (%#)", (source, expected) => {
  expect(parseText(source, "file").metadata.title).toBe(expected);
});

test("an underlined title is a heading, without its line", () => {
  const { text, blocks, metadata } = parseText(
    "Widget 2\n========\nA tool.\n\nInstall\n-------\n\nRun make.\n\nTotal\n--------------------\n",
    "README",
  );
  expect(blocks.map(({ type, level, start, end }) => `${type} ${level} ${text.slice(start, end)}`)).toEqual([
    "heading 1 Widget 2",
    "paragraph 0 A tool.",
    "heading 2 Install",
    "paragraph 0 Run make.",
    "paragraph 0 Total --------------------",
  ]);
  expect(metadata.title).toBe("Widget 2");
});

test("AsciiDoc has headings, but no comments, attributes and block settings, and exact places", () => {
  const source =
    "= Fees of the *desk*\r\n:author: Ana\r\n:!toc:\r\n\r\n// A draft.\r\n////\r\nStill a draft.\r\n\r\n////\r\n[[lost]]\r\n== Lost cards\r\nA new card costs 5.\r\n\r\n----\r\n// In code.\r\n----\r\n\r\nSee https://a.example\r\n\r\n=== Late\r\n\r\n* One\r\n* Two\r\n\r\n////\r\nTo do";
  const document = parseFirst("a.adoc", source);
  expect(document.metadata.title).toBe("Fees of the *desk*");
  expect(blocksOf(document)).toEqual([
    ...["heading1 Fees of the *desk*", "heading2 Lost cards", "paragraph A new card costs 5.", "paragraph ---- // In code. ----"],
    ...["paragraph See https://a.example", "heading3 Late", "list-item1 One", "list-item1 Two"],
  ]);
  const start = document.text.indexOf("Lost");
  const place = toOriginal(document.sourceMap, { start, end: start + 10 });
  expect(source.slice(place.start, place.end)).toBe("Lost cards");
  expect(blocksOf(parseFirst("a.txt", "== Lost cards\n\n:a: b"))).toEqual(["paragraph == Lost cards", "paragraph :a: b"]);
});

describe("mail", () => {
  async function read(body: string): Promise<string[]> {
    const document = await readFirst("a.eml", `Subject: Pump\nFrom: ann@example.com\n\n${body}`);
    expect(faultsOf(document)).toEqual([]);
    return blocksOf(document).slice(2);
  }

  test("quotes earlier mails as quotations without the signs, one per level", async () => {
    const body =
      "It comes on 19 March.\n\nOn Monday Bob wrote:\n> It comes on the 5th,\n> is that right?\n>\n> - a hose\n> > The offer was 390.\n>> It was 410.\nYes.\n";
    expect(await read(body)).toEqual([
      "paragraph It comes on 19 March.",
      "paragraph On Monday Bob wrote:",
      "quote It comes on the 5th, is that right?",
      "quote - a hose",
      "quote The offer was 390. It was 410.",
      "paragraph Yes.",
    ]);
  });

  test("with one line that begins with a comparison is not a quotation, but several lines or words are", async () => {
    expect(await read("The limits:\n>5 kg is too heavy for us.\n\n>20 kg goes by rail.")).toEqual([
      "paragraph The limits: >5 kg is too heavy for us.",
      "paragraph >20 kg goes by rail.",
    ]);
    expect(await read(">5 kg of it,\n>as ever.\n\nYes.\n\n>How much?\n\n> 5 kg")).toEqual([
      "quote 5 kg of it, as ever.",
      "paragraph Yes.",
      "quote How much?",
      "quote 5 kg",
    ]);
  });
});

describe("front-matter", () => {
  const YAML = "---\nid: store-pickup\ntitle: Fetching\ndate: 2024-05-01\n---\n";

  test.each(["a.md", "a.txt", "README", "a.html"])("of %s is removed in any language, and places stay exact", (path) => {
    for (const front of [YAML, `\ufeff${YAML}`, YAML.replaceAll("\n", "\r\n"), `\n${YAML}`]) {
      const source = `${front}\nOrders wait for ten days.\n`;
      const { text, metadata, sourceMap } = parseFirst(path, source);
      expect([text, metadata.title, metadata.asOf]).toEqual(["Orders wait for ten days.", "Fetching", "2024-05-01"]);
      const place = toOriginal(sourceMap, { start: 0, end: 6 });
      expect(source.slice(place.start, place.end)).toBe("Orders");
    }
  });

  test("rules around other lines stay text in formats without front matter", () => {
    expect(parseFirst("a.txt", "---\nPhone: 555\n---\nCall us.").text).toContain("Phone: 555");
    expect(parseFirst("a.txt", "---\nNot: [closed\n---\nCall us.").text).toContain("[closed");
  });

  test("in TOML is rejected, so that a document never loses its access label, but other text may begin with plus signs", () => {
    for (const path of ["a.md", "a.html", "a.txt"]) {
      for (const front of ['+++\naccess = "staff"\n+++\n', '\ufeff\n+++ \r\ntitle = "A"\r\n"tenant" = "b"\r\n+++\r\n'])
        expect(() => parseFirst(path, `${front}Text.`), path).toThrow(
          expect.objectContaining({ code: "bad_front_matter", message: expect.stringMatching(/write it as YAML between --- lines/) }),
        );
    }
    expect(() => parseFirst("a.md", "+++\nText.")).toThrow(/TOML/);
    expect(parseFirst("a.txt", "+++\nFAQ\n+++\n\naccess = all").text).toContain("access = all");
    expect(parseFirst("a.md", "Text.\n\n+++\naccess = all").text).toContain("access = all");
  });

  test("an entry's technical id names its document and is not text, but a number that people ask for is", () => {
    const entry = (id: string) =>
      `- id: ${id}\n  title: Fetching an order\n  content: Both shops hand out online orders in their stores, and the confirmation names the store.\n`;
    const [first, second] = parseFile({ path: "a.yaml", bytes: Buffer.from(entry("store-pickup") + entry("ADR-12")) });
    expect([first?.path, first?.text.includes("store-pickup")]).toEqual(["a.yaml#store-pickup", false]);
    expect(second?.text).toContain("id: ADR-12");
  });
});
