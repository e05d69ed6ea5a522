import type { TextRange } from "../../../shared/types.ts";

/** A token of RTF with its range in the file. */
export type RtfToken = TextRange &
  (
    | { readonly type: "open" }
    | { readonly type: "close" }
    /** A control word, or a control symbol such as `*`. `value` is the number after the word; `null` without one. */
    | { readonly type: "control"; readonly word: string; readonly value: number | null }
    /** One byte of text, written as `\'hh`. */
    | { readonly type: "byte"; readonly value: number }
    /** Text without escapes, one character per byte. */
    | { readonly type: "text"; readonly text: string }
  );

const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([\s\S])|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)/g;

/** Splits RTF into tokens. Line breaks of the file are not text. Skips binary data. */
export function* readRtfTokens(source: string): Generator<RtfToken> {
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    const [whole, word, number, hex, symbol, brace, text] = match;
    const range = { start: match.index, end: match.index + whole.length };
    if (text !== undefined) yield { type: "text", text, ...range };
    else if (word !== undefined) {
      const value = number === undefined ? null : Number(number);
      if (word === "bin") pattern.lastIndex = Math.min(source.length, range.end + Math.max(0, value ?? 0));
      else yield { type: "control", word, value, ...range };
    } else if (hex !== undefined) yield { type: "byte", value: Number.parseInt(hex, 16), ...range };
    else if (brace !== undefined) yield brace === "{" ? { type: "open", ...range } : { type: "close", ...range };
    else if (symbol === "\n" || symbol === "\r") yield { type: "control", word: "par", value: null, ...range };
    else if (symbol === "\\" || symbol === "{" || symbol === "}") yield { type: "text", text: symbol, ...range };
    else if (symbol !== undefined) yield { type: "control", word: symbol, value: null, ...range };
  }
}

/** Number of a font's character set → encoding (Rich Text Format 1.9.1, `\fcharset`). */
const CHARSETS: Readonly<Record<number, string>> = {
  ...{ 77: "macintosh", 161: "windows-1253", 162: "windows-1254", 163: "windows-1258", 177: "windows-1255", 178: "windows-1256" },
  ...{ 186: "windows-1257", 204: "windows-1251", 222: "windows-874", 238: "windows-1250" },
  ...{ 128: "shift_jis", 129: "euc-kr", 134: "gbk", 136: "big5" },
};
/** Number of an Asian code page → encoding. Some characters in these encodings take two bytes. */
const ASIAN: Readonly<Record<number, string>> = { 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5" };
const TWO_BYTES: ReadonlySet<string> = new Set(Object.values(ASIAN));
/** Character set of symbol fonts, such as Wingdings. */
const SYMBOLS = 2;
const BULLET = 0xb7;

/** Returns the encoding of a code page; `null` if it is not supported, e.g. a code page of DOS. */
export function encodingOfCodePage(page: number): string | null {
  if (page === 10_000) return "macintosh";
  return ASIAN[page] ?? (page === 874 || (page >= 1_250 && page <= 1_258) ? `windows-${page}` : null);
}

/**
 * Returns whether the encoding of a font's character set is known. Symbol fonts and fonts with the document's encoding
 * (0 and 1) count as known.
 */
export function isKnownCharset(charset: number): boolean {
  return charset <= SYMBOLS || charset in CHARSETS;
}

/**
 * Decodes one or two bytes in the character set of a font. Returns `null` for a single byte that is the first of two.
 * @param encoding encoding of the document, for fonts without a character set of their own
 */
export function decodeRtfBytes(bytes: readonly number[], charset: number, encoding: string): string | null {
  if (charset === SYMBOLS) return bytes[0] === BULLET ? "•" : "\ufffd";
  const decoder = new TextDecoder(CHARSETS[charset] ?? encoding);
  const text = decoder.decode(Uint8Array.from(bytes), { stream: true });
  return text === "" && bytes.length === 1 && TWO_BYTES.has(decoder.encoding) ? null : text + decoder.decode();
}

/** Control words and symbols that stand for a character. The optional hyphen is not listed, because it is not text. */
export const RTF_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ emdash: "—", endash: "–", lquote: "‘", rquote: "’", ldblquote: "“", rdblquote: "”", bullet: "•", tab: " " },
    ...{ emspace: " ", enspace: " ", qmspace: " ", "~": " ", _: "-" },
  }),
);
