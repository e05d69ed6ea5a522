import { expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { parseFile } from "../parse.ts";

const YAML = "---\nid: store-pickup\ntitle: Fetching\ndate: 2024-05-01\n---\n";
const TOML = '+++\nid = "store-pickup"\ntitle = "Fetching"\ndate = 2024-05-01\n[params]\nweight = 1\n+++\n';

const JSON_FRONT = '{\n  "id": "store-pickup",\n  "title": "Fetching",\n  "date": "2024-05-01",\n  "params": {\n    "weight": 1\n  }\n}\n';

function read(path: string, source: string) {
  const [document] = parseFile({ path, bytes: Buffer.from(source) });
  if (document === undefined) throw new Error("no document");
  return document;
}

test.each(["a.md", "a.txt", "README", "a.rst", "a.adoc", "a.html"])(
  "of %s is no text, whatever its language, and places stay exact",
  (path) => {
    for (const front of [YAML, TOML, JSON_FRONT, `\ufeff${JSON_FRONT}`, `\ufeff${YAML}`, YAML.replaceAll("\n", "\r\n"), `\n${YAML}`]) {
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

test("braces that are no JSON, or say nothing of a document, stay text", () => {
  expect(read("a.md", '{\n"title": "Fetching",\n}\n\nOrders wait.').text).toContain("Fetching");
  expect(read("a.md", '{\n"left": 1\n}\n\nOrders wait.').text).toContain("left");
  expect(read("a.md", '{\n"title": "Fetching"\n} and more\n').text).toContain("and more");
  expect(read("a.md", `{\n"title": ${"[".repeat(200_000)}\n}\n\nOrders wait.`).text).toContain("Orders wait.");
});

test("TOML that is wrong is said with its line", () => {
  expect(() => read("a.md", '+++\ntitle = "a"\nb = \n+++\n')).toThrow(/front matter, line 3: .*correct the TOML between the \+\+\+ lines/);
  expect(() => read("a.md", "+++\naccess = [1]\n+++\n")).toThrow(/access/);
});

test("fields below the title of reStructuredText, or above it, say what it is, and are no text; those of its body are", () => {
  const { text, metadata } = read(
    "a.rst",
    "Guide\n=====\n\n:Author: Jane\n:Date: 2024-01-02\n:Abstract: Of\n   returns.\n\nIntro.\n\n:field: of the body\n",
  );
  expect([text, metadata.asOf, metadata.description]).toEqual(["Guide\n\nIntro.\n\n:field: of the body", "2024-01-02", "Of returns."]);
  expect(read("b.rst", ":orphan:\n\nGuide\n=====\n\nText.\n").text).toBe("Guide\n\nText.");
});

test("the id of an entry that only machines read names its document, and is no text; a number that people ask by is", () => {
  const entry = (id: string) =>
    `- id: ${id}\n  title: Fetching an order\n  content: Both shops hand out online orders in their stores, and the confirmation names the store.\n`;
  const [first, second] = parseFile({ path: "a.yaml", bytes: Buffer.from(entry("store-pickup") + entry("ADR-12")) });
  expect([first?.path, first?.text.includes("store-pickup")]).toEqual(["a.yaml#store-pickup", false]);
  expect(second?.text).toContain("id: ADR-12");
});
