import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { parseFile, readDocuments } from "../parse.ts";
import { faultsOf } from "../testing/soundness.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";
import { parseText } from "./text.ts";

test.each<[string, string[], string]>([
  [
    "One line\nwrapped hard.\n\nNext\r\none.",
    ["paragraph One line wrapped hard.", "paragraph Next one."],
    "empty lines separate paragraphs",
  ],
  ["CHAPTER 1. Loomings.\n\nCall me.", ["heading1 CHAPTER 1. Loomings.", "paragraph Call me."], "chapters"],
  [
    "§4.25   Combined ratings table.\nText of it\nwrapped.",
    ["heading2 §4.25 Combined ratings table.", "paragraph Text of it wrapped."],
    "sections",
  ],
  [
    "§4.16   Total disability ratings for compensation based on unemployability of the\nindividual.\n(a) Total",
    ["heading2 §4.16 Total disability ratings for compensation based on unemployability of the individual.", "paragraph (a) Total"],
    "a heading that runs over",
  ],
  [
    "§ 7.2 Moles\n\nA mole digs.\n\n§ 7.3 is repealed.\n\nPart 2 of the form asks who pays. Sign it.",
    [
      "heading2 § 7.2 Moles",
      "paragraph A mole digs.",
      "paragraph § 7.3 is repealed.",
      "paragraph Part 2 of the form asks who pays. Sign it.",
    ],
    "a sentence about a section is no heading",
  ],
  ["GENERAL RULES\n\nText", ["heading2 GENERAL RULES", "paragraph Text"], "capitals alone on a line"],
  [
    "NASA\n\nI.\n\nOK!\n\n1234",
    ["heading2 NASA", "paragraph I.", "paragraph OK!", "paragraph 1234"],
    "but not exclamations, numbers, numerals",
  ],
  [
    "Part of the rule\nis here.\n\nChapter and verse, he said,\n\nx",
    ["paragraph Part of the rule is here.", "paragraph Chapter and verse, he said,", "paragraph x"],
    "prose is no heading",
  ],
  ["See:\n- one\n  more\n* two", ["paragraph See:", "list-item1 one more", "list-item1 two"], "bullets"],
  ["1) one\n2) two", ["list-item1 1) one", "list-item1 2) two"], "numbered items keep their number"],
  ["**a** <b> &amp; [c](d)", ["paragraph **a** <b> &amp; [c](d)"], "nothing is markup"],
  ["", [], "nothing"],
])("%j (%#)", (source, expected) => {
  expect(blocksOf(parseText(source, "file"))).toEqual(expected);
});

test.each([
  ["Keeping bees in a town\n\nA hive needs sun.", "Keeping bees in a town", "a first line that is no sentence"],
  ["Keeping Bees\nin a Town\n\nCHAPTER 1. Hives\n\nA hive needs sun.", "Keeping Bees in a Town", "two lines of it"],
  [
    "This text may be copied freely.\n\nTitle: Keeping Bees\n\nCHAPTER 1\n\nA hive needs sun.",
    "Keeping Bees",
    "what the text calls its title",
  ],
  ["Printed in 1907.\n\nKEEPING BEES\n\nCHAPTER I\n\nA hive needs sun.", "KEEPING BEES", "a heading that names no part"],
  ["CHAPTER 1. Hives\n\nA hive needs sun.\n\nCHAPTER 2. Honey\n\nx", "file", "never a chapter of several"],
  ["§ 12.4 Hives in towns\n\nA hive needs sun.\n\n§ 12.5 Honey\n\nx", "file", "never a section of several"],
  ["§ 12.4 Hives in towns\n\nA hive needs sun.", "§ 12.4 Hives in towns", "a section that is all of the text"],
  ["A hive needs sun. It needs water too.\n\nBees fly far.", "file", "never a sentence"],
  ["- a hive\n- a veil", "file", "never an item"],
  ["Hives", "file", "never the whole text"],
  ["", "file", "nothing"],
])("title of %j: %s (%#)", (source, expected) => {
  expect(parseText(source, "file").metadata.title).toBe(expected);
});

test("a title that is underlined is a heading, and its line is no text", () => {
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

describe("reStructuredText is text with headings", () => {
  const read = (source: string) => parseFile({ path: "a.rst", bytes: Buffer.from(source) }).flatMap(blocksOf);

  test("footnotes are paragraphs where they stand; comments and settings are left out", () => {
    expect(read("Hoses run at 9 [1]_.\n\n.. [1] Never during\n   a drought.\n\n.. a comment\n   that goes\n\nThe end.\n")).toEqual([
      "paragraph Hoses run at 9 [1]_.",
      "paragraph [1] Never during a drought.",
      "paragraph The end.",
    ]);
  });

  test("titles by their sign, lists, and directives with words", () => {
    expect(
      read(
        "=====\nGuide\n=====\n\nPart\n~~~~\n\n* One\n  more\n* Two\n\nSub\n^^^\n\n.. warning:: Hot.\n.. image:: x.png\n   :alt: A pot\n",
      ),
    ).toEqual(["heading1 Guide", "heading2 Part", "list-item1 One more", "list-item1 Two", "heading3 Sub", "paragraph Hot."]);
  });
});

describe("mail", () => {
  async function read(body: string): Promise<string[]> {
    const [document] = await readDocuments({ path: "a.eml", bytes: Buffer.from(`Subject: Pump\nFrom: ann@example.com\n\n${body}`) });
    if (document === undefined) throw new Error("no document");
    expect(faultsOf(document)).toEqual([]);
    return blocksOf(document).slice(2);
  }

  test("what a mail quotes of earlier ones is a quotation, without the signs, each answer to an answer on its own", async () => {
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

  test("a line that begins with a comparison quotes nothing; several lines, or words, do", async () => {
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
  const TOML = '+++\nid = "store-pickup"\ntitle = "Fetching"\ndate = 2024-05-01\n[params]\nweight = 1\n+++\n';

  function read(path: string, source: string) {
    const [document] = parseFile({ path, bytes: Buffer.from(source) });
    if (document === undefined) throw new Error("no document");
    return document;
  }

  test.each(["a.md", "a.txt", "README", "a.rst", "a.adoc", "a.html"])(
    "of %s is no text, whatever its language, and places stay exact",
    (path) => {
      for (const front of [YAML, TOML, `\ufeff${YAML}`, YAML.replaceAll("\n", "\r\n"), `\n${YAML}`]) {
        const source = `${front}\nOrders wait for ten days.\n`;
        const { text, metadata, sourceMap } = read(path, source);
        expect([text, metadata.title, metadata.asOf]).toEqual(["Orders wait for ten days.", "Fetching", "2024-05-01"]);
        const place = toOriginal(sourceMap, { start: 0, end: 6 });
        expect(source.slice(place.start, place.end)).toBe("Orders");
      }
    },
  );

  test("rules around lines that say nothing of a document stay text where the format has no front matter", () => {
    expect(read("a.txt", "---\nPhone: 555\n---\nCall us.").text).toContain("Phone: 555");
    expect(read("a.txt", "---\nNot: [closed\n---\nCall us.").text).toContain("[closed");
  });

  test("TOML that is wrong is said with its line", () => {
    expect(() => read("a.md", '+++\ntitle = "a"\nb = \n+++\n')).toThrow(
      /front matter, line 3: .*correct the TOML between the \+\+\+ lines/,
    );
    expect(() => read("a.md", "+++\naccess = [1]\n+++\n")).toThrow(/access/);
  });

  test("the id of an entry that only machines read names its document, and is no text; a number that people ask by is", () => {
    const entry = (id: string) =>
      `- id: ${id}\n  title: Fetching an order\n  content: Both shops hand out online orders in their stores, and the confirmation names the store.\n`;
    const [first, second] = parseFile({ path: "a.yaml", bytes: Buffer.from(entry("store-pickup") + entry("ADR-12")) });
    expect([first?.path, first?.text.includes("store-pickup")]).toEqual(["a.yaml#store-pickup", false]);
    expect(second?.text).toContain("id: ADR-12");
  });
});
