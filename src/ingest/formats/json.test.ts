import fc from "fast-check";
import { expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { parseJson, parseJsonLines } from "./json.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const ENTRY = {
  entry_id: "e1",
  topic: "ratings",
  subtopic: "combined",
  content: "## How\n\n- **a**\n- b",
  url: "https://a.b",
  type: "policy",
};

test("reads one entry or an array, each as a document of its own", () => {
  const [one] = parseJson(JSON.stringify(ENTRY), "n");
  expect(one?.entryId).toBe("e1");
  expect(one?.metadata).toMatchObject({ title: "How", topic: "ratings", subtopic: "combined", url: "https://a.b", type: "policy" });
  expect(one === undefined ? [] : blocksOf(one)).toEqual(["heading2 How", "list-item1 a", "list-item1 b"]);
  const many = parseJson(JSON.stringify([ENTRY, { ...ENTRY, entry_id: "e2", content: "plain", other: { content: "no" } }], null, 2), "n");
  expect(many.map((entry) => [entry.entryId, entry.metadata.title])).toEqual([
    ["e1", "How"],
    ["e2", "combined"],
  ]);
  expect(parseJson("[]", "n")).toEqual([]);
});

test("a field with a question is a heading of its entry below the title, and the answer is text", () => {
  const answer = "Call the office before noon, and we cancel it for you on the same day.";
  const faq = [
    { title: "Cancelling", question: "How do I cancel a booking?", answer },
    { title: "Paying", question: "How do I pay", answer },
  ];
  expect(parseJson(JSON.stringify(faq), "n").map((entry) => [entry.metadata.title, ...blocksOf(entry)])).toEqual([
    ["Cancelling", "heading1 Cancelling", "heading2 How do I cancel a booking?", `paragraph ${answer}`],
    ["Paying", "heading1 Paying", "heading2 How do I pay", `paragraph ${answer}`],
  ]);
  const [asked] = parseJson(JSON.stringify([{ name: "Pay", ask: "How?", answer, hours: "9 to 5" }]), "n");
  expect(asked === undefined ? [] : blocksOf(asked)).toEqual([
    "heading1 Pay",
    "heading2 How?",
    `paragraph ${answer}`,
    "list-item1 hours: 9 to 5",
  ]);
});

test("reads one entry per line", () => {
  const lines = `\ufeff${JSON.stringify(ENTRY)}\r\n\n${JSON.stringify({ ...ENTRY, entry_id: "e2" })}`;
  expect(parseJsonLines(lines, "n").map((entry) => entry.entryId)).toEqual(["e1", "e2"]);
});

test("keeps access label and tenant of an entry", () => {
  const [entry] = parseJson(JSON.stringify({ ...ENTRY, access: "staff", tenant: "acme", as_of: "2019-04-30" }), "n");
  expect([entry?.access, entry?.tenant, entry?.metadata.asOf]).toEqual(["staff", "acme", "2019-04-30"]);
});

test("maps text into the string literal, escapes as a whole", () => {
  const source =
    '[{"content": "no"}, {"x": ["content", {"content": "no"}], "entry_id": "e", "topic": "t", "type": "policy",\n"\\u0063ontent": "Caf\\u00e9 \\"x\\"\\nA &amp; **b**"}]'.replace(
      '{"content": "no"}, ',
      "",
    );
  const [entry] = parseJson(source, "n");
  expect(entry?.text).toBe('Café "x" A & b');
  const original = (part: string): string => {
    const start = entry?.text.indexOf(part) ?? -1;
    const place = toOriginal(entry?.sourceMap ?? [], { start, end: start + part.length });
    return source.slice(place.start, place.end);
  };
  expect(original("Café")).toBe("Caf\\u00e9");
  expect(original('"x"')).toBe('\\"x\\"');
  expect(original("x")).toBe("x");
  expect(original("A & b")).toBe("A &amp; **b");
});

test("maps every word of any content to its place", () => {
  const content = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\n", '"', "\\", "é", "😀", " a ", "/", "\t")), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(content, fc.nat({ max: 3 }), (parts, indent) => {
      const source = JSON.stringify([{ ...ENTRY, content: parts.join("") }], null, indent);
      for (const { text, sourceMap } of parseJson(source, "n")) {
        for (const { 0: word, index } of text.matchAll(/[a-z]+/g)) {
          const place = toOriginal(sourceMap, { start: index, end: index + word.length });
          expect(source.slice(place.start, place.end)).toBe(word);
        }
      }
    }),
  );
});

test.each<[string, string, RegExp]>([
  ['{"entry_id": 1', "bad_json", /line 1: not valid JSON/],
  [JSON.stringify([ENTRY, { ...ENTRY, type: "poem" }]), "bad_entry", /entry 1, field type/],
  [JSON.stringify([{ ...ENTRY, content: 5 }]), "bad_entry", /entry 0, field content/],
  [JSON.stringify([ENTRY, [1], 3]), "bad_entry", /entry 1, field \(entry\)/],
  [JSON.stringify([ENTRY, { ...ENTRY, access: ["staff"] }]), "bad_entry", /entry 1, field access/],
  [JSON.stringify([ENTRY, ENTRY]), "duplicate_entry", /entries 0 and 1 have the same entry_id "e1"/],
  ["", "bad_json", /line 1/],
  ["[".repeat(100_000), "bad_json", /line 1/],
])("reports the error of an entry (%#)", (source, code, message) => {
  expect(() => parseJson(source, "n")).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

test("names the line of an invalid entry in a file of lines", () => {
  expect(() => parseJsonLines(`${JSON.stringify(ENTRY)}\n{oops}\n`, "n")).toThrow(/line 2: not valid JSON/);
});
