import { expect, test } from "vitest";
import { decodeText } from "./encoding.ts";

const GERMAN = "Der Bescheid gilt für sechs Monate; Änderungen müssen binnen 14 Tagen gemeldet werden.";

test.each<[string, Uint8Array, string, string]>([
  ["a byte order mark", Buffer.from(`\ufeff${GERMAN}`, "utf16le"), "utf-16le", `\ufeff${GERMAN}`],
  ["no byte order mark", Buffer.from(GERMAN, "utf16le"), "utf-16le", GERMAN],
  ["no byte order mark, in the other byte order", Buffer.from(GERMAN, "utf16le").swap16(), "utf-16be", GERMAN],
  ["a byte order mark, in the other byte order", Buffer.from(`\ufeff${GERMAN}`, "utf16le").swap16(), "utf-16be", `\ufeff${GERMAN}`],
  ["Latin-1", Buffer.from(GERMAN, "latin1"), "windows-1252", GERMAN],
  ["Mac Roman", Buffer.from("4d9f6c6c657220736572766573206372906d652062729e6c8e6521", "hex"), "macintosh", "Müller serves crême brûlée!"],
  [
    "typographic characters of Windows",
    Buffer.from("It doesn\x92t cost 5\x80 at M\xfcller\x92s\x99\x85", "latin1"),
    "windows-1252",
    "It doesn’t cost 5€ at Müller’s™…",
  ],
  ["UTF-8", Buffer.from(GERMAN), "utf-8", GERMAN],
  ["a declaration", Buffer.from(`<meta charset="iso-8859-2">\xb1`, "latin1"), "iso-8859-2", '<meta charset="iso-8859-2">ą'],
  [
    "Cyrillic",
    Buffer.from("cff0e8e2e5f22c20eae0ea20e4e5ebe020f1e5e3eee4edff20f3f2f0eeec", "hex"),
    "windows-1251",
    "Привет, как дела сегодня утром",
  ],
  [
    "Japanese",
    Buffer.from("8fa4956982cc95d4956982cd939e92858ce38f5c8e6c93fa88c893e082c98fb382e882dc82b78142", "hex"),
    "shift_jis",
    "商品の返品は到着後十四日以内に承ります。",
  ],
])("%s: is decoded correctly", (_, bytes, encoding, text) => {
  const decoded = decodeText(bytes);
  expect(decoded.encoding).toBe(encoding);
  expect(decoded.text).toBe(text);
});

test("a guessed encoding has a notice, a byte order mark or valid UTF-8 has none", () => {
  expect(decodeText(Buffer.from(GERMAN)).notices).toEqual([]);
  expect(decodeText(Buffer.from(GERMAN, "latin1")).notices).toMatchObject([{ code: "encoding_guessed", message: /windows-1252/ }]);
});
