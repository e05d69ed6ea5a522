import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { nearSpelled } from "../../test/support/near-spelled.ts";
import { createEnglishWords } from "../language/content-words.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { timeOrderedId } from "./hash.ts";
import { foldMarks, literally, normalizeQuestion, plainLetters, plainView, repeatsQuestion } from "./normalise.ts";
import { documentPath, fileOfDocument, httpUrl, pathClash } from "./paths.ts";
import { differInAffix, isSlip } from "./spelling.ts";
import { createStemmer } from "./tokens.ts";

it.each(["a.md", "a b/c.json", "c#.md", "100%.md", "%23.md", "%2523#.md", "%25.md"])("%s is restored from its document's path", (file) => {
  expect(fileOfDocument(documentPath(file))).toBe(file);
  expect(fileOfDocument(`${documentPath(file)}#entry-1`)).toBe(file);
});

it("an id is a UUID of version 7, sorted by time, and unique within a millisecond", () => {
  const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => timeOrderedId(new Date(time)));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  // The example of RFC 9562, appendix A.6.
  expect(timeOrderedId(new Date(0x017f22e279b0))).toMatch(/^017f22e2-79b0-7/);
  const at = new Date(1_700_000_000_000);
  expect(new Set(Array.from({ length: 10_000 }, () => timeOrderedId(at))).size).toBe(10_000);
});

it("a literal pattern matches exactly the text", () => {
  const marks = fc.string({ unit: fc.constantFrom("a", ".", "*", "+", "?", "^", "$", "{", "}", "(", ")", "|", "[", "]", "\\") });
  fc.assert(
    fc.property(marks, (text) => {
      const whole = new RegExp(`^(?:${literally(text)})$`);
      expect(whole.test(text)).toBe(true);
      expect(whole.test(`${text}a`)).toBe(false);
    }),
  );
});

describe("pathClash", () => {
  it("names a file in the place of a folder, and a file below the path", () => {
    expect(pathClash("a/b.md", ["z.md", "a"])).toBe("a");
    expect(pathClash("a/b/c.md", ["a"])).toBe("a");
    expect(pathClash("box.md", ["box.md/y.md"])).toBe("box.md/y.md");
  });

  it("finds none for the file itself, its neighbours and names with a common beginning", () => {
    expect(pathClash("a/b.md", ["a/b.md", "a/c.md", "a b", "a/b", "a/b.mdx"])).toBeNull();
    expect(pathClash("a", [])).toBeNull();
  });
});

describe("foldMarks", () => {
  it.each([
    ["Café Münster", "cafe munster"],
    ["Cafe\u0301", "cafe"],
    ["Straße", "strasse"],
    ["ÉCOLE", "ecole"],
    ["plain 12", "plain 12"],
    ["Łódź, Læsø", "lodz, laeso"],
    ["हिन्दी", "हिन्दी"],
  ])("folds %j to %j", (text, folded) => {
    expect(foldMarks(text)).toBe(folded);
  });

  it("takes linear time for hostile text", () => expectLinearTime(200_000, (n) => `e${"\u0301".repeat(n)}`, foldMarks));
});

describe("plainView", () => {
  it.each([
    ["full-width digits and sign", "ａ＠ｂ．ｃｏｍ １２３", "a@b.com 123"],
    ["Arabic-Indic and Devanagari digits", "١٢٣ १२", "123 12"],
    ["dashes and spaces", "123‑45–6789\u00a0x", "123-45-6789 x"],
    ["zero-width characters", "e\u200bvil\u00ad.com", "evil.com"],
  ])("folds %s", (_what, text, plain) => {
    expect(plainView(text).plain).toBe(plain);
  });

  it("maps every place to its original character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const { plain, at } = plainView(text);
        expect(at(plain.length)).toBe(text.length);
        for (let i = 0; i < plain.length; i++) {
          expect(at(i)).toBeLessThanOrEqual(at(i + 1));
          if ((plain[i] as string) > "\u007f" || text[at(i)] === plain[i]) continue;
          expect(plainView(text.slice(at(i), at(i) + 2)).plain).toContain(plain[i]);
        }
      }),
    );
  });
});

describe("normalizeQuestion", () => {
  it("is idempotent, and keeps all letters and digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const normal = normalizeQuestion(text);
        expect(normalizeQuestion(normal)).toBe(normal);
        expect(normal.replaceAll(/[^\p{L}\p{N}]/gu, "")).toBe(
          text
            .normalize("NFKC")
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N}]/gu, ""),
        );
      }),
    );
  });

  it("distinguishes a power from a number", () => {
    expect(normalizeQuestion("Are 10⁶ cells too many?")).not.toBe(normalizeQuestion("Are 106 cells too many?"));
  });
});

describe("repeatsQuestion", () => {
  it.each([
    ["How do I renew my permit?", true],
    ["how do I  renew my permit ?", true],
    ["How do I renew my permit", false],
    ["How do I renew my permit? Visit counter 5.", false],
    ["How do I lose my permit?", false],
  ])("%s: %s", (text, repeats) => {
    expect(repeatsQuestion(text, "How do I renew my permit?")).toBe(repeats);
  });
});

const real = createEnglishWords().real();
const stem = createStemmer();

/** Checks whether a word that no document contains may be corrected to one that the documents contain. */
const mayBeRead = (written: string, meant: string) =>
  !real.has(written) && isSlip(written, meant) && !differInAffix(written, meant, real, stem);

/** No dictionary has these words, and their spelling does not distinguish them from misspellings. Answers show such corrections. */
const UNKNOWABLE = [
  "peroneal as perineal",
  "saphira as sapphire",
  "nodenv as nodeenv",
  "nodeenv as nodenv",
  "modulo as module",
  "antinatal as antenatal",
];

test("no word is corrected to one with similar spelling and another meaning if a word list or its affixes distinguish them", () => {
  const read = nearSpelled.flatMap(({ one, other }) => [
    ...(mayBeRead(one, other) ? [`${one} as ${other}`] : []),
    ...(mayBeRead(other, one) ? [`${other} as ${one}`] : []),
  ]);
  expect(read.filter((one) => !UNKNOWABLE.includes(one))).toEqual([]);
});

describe("httpUrl", () => {
  it.each(["https://library.example/fees/?a=1#b", "HTTP://library.example", "http://127.0.0.1:8080/x"])("accepts %s", (url) => {
    expect(httpUrl(` ${url}\n`)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://library.example/1",
    "//library.example/fees",
    "/fees",
    "fees.html",
    "https:alert(1)",
    "https://bank.example@evil.example/",
    "https://",
    "",
  ])("rejects %j", (url) => expect(httpUrl(url)).toBeNull());

  it("returns null for null", () => expect(httpUrl(null)).toBeNull());

  it("accepts nothing that a browser reads as another scheme", () => {
    const hostile = fc
      .tuple(fc.constantFrom("javascript:", "data:", "https:", "http://", "\t", " ", "ftp:"), fc.string())
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, (stated) => {
        const url = httpUrl(stated);
        expect(url === null || /^https?:$/.test(new URL(url, "https://page.example/").protocol)).toBe(true);
      }),
    );
  });
});

test("compatibility forms of letters and digits become plain ones; powers, fractions and signs stay", () => {
  expect(plainLetters("eﬃciency, 𝗱𝗲𝗽𝗼𝘀𝗶𝘁 𝟕, H₂O, Đorđević, ｆｕｌｌ")).toBe("efficiency, deposit 7, H2O, dordević, full");
  expect(plainLetters("10⁶ m², 1½, 20º, Tylenol™, naïve")).toBe("10⁶ m², 1½, 20º, Tylenol™, naïve");
  expect(foldMarks("Eﬃciency Đorđević")).toBe("efficiency dordevic");
});
