import { isUtf8 } from "node:buffer";
import { analyse } from "chardet";
import { IngestError } from "../shared/errors.ts";
import type { ReadingNotice } from "../shared/types.ts";

/** Number of bytes at the start of a file from which its encoding is detected. */
const SAMPLE_BYTES = 64 * 1024;
/** Minimum confidence, in percent, for a detected encoding to be used instead of windows-1252. */
const MIN_CONFIDENCE = 20;
/** Minimum share of NUL bytes in UTF-16 text. In Latin text encoded as UTF-16, every other byte is NUL. */
const MIN_NUL_SHARE = 0.1;
/** A file with only this many NUL bytes, or fewer, counts as binary and not as UTF-16. */
const MIN_NULS = 2;
const WESTERN = "windows-1252";
const MAC = "macintosh";
/** Escape sequences of the encoding ISO-2022. It consists of ASCII bytes only, so the text would otherwise pass as UTF-8. */
const SHIFTS = ["\x1b$@", "\x1b$B"];
/** Matches `charset=…` in HTML and `encoding="…"` in XML. */
const DECLARED = /<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i;

/**
 * Decodes text. Determines the encoding by the first of these that applies: byte order mark; NUL bytes of UTF-16; valid
 * UTF-8; the encoding that the text declares; letter frequencies. The byte order mark stays in the text, so that
 * offsets count the characters of the file. `encoding` is a label of the WHATWG standard.
 * @throws IngestError `binary_file` if the bytes are not text, `bad_encoding` for UTF-32
 */
export function decodeText(bytes: Uint8Array) {
  const marked = markedEncoding(bytes);
  if (marked !== null) return decodeAs(bytes, marked);
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const wide = wideEncoding(bytes);
    if (wide === null) throw binary(`byte ${nul} is NUL`, nul);
    return decodeAs(bytes, wide, true);
  }
  if (isUtf8(bytes) && !SHIFTS.some((shift) => latin(bytes).includes(shift))) return decodeAs(bytes, "utf-8");
  const control = bytes.subarray(0, SAMPLE_BYTES).findIndex(isControl);
  if (control >= 0) throw binary(`byte ${control} is a control character`, control);
  const label = DECLARED.exec(latin(bytes.subarray(0, 1024)))?.[1];
  const declared = label === undefined ? null : knownLabel(label);
  return declared === null ? decodeAs(bytes, likelyEncoding(bytes), true) : decodeAs(bytes, declared);
}

/** Returns the first characters of a text after leading white space, or `null` if the bytes are not text. */
export function textStart(bytes: Uint8Array): string | null {
  try {
    return decodeText(bytes.subarray(0, SAMPLE_BYTES)).text.trimStart().slice(0, 1024);
  } catch (error) {
    if (error instanceof IngestError) return null;
    throw error;
  }
}

/** Decodes text with `charset`, which the server stated. If it is `null` or unknown, detects the encoding from the bytes. */
export function textOf(bytes: Uint8Array, charset: string | null): string {
  try {
    if (charset !== null) return new TextDecoder(charset).decode(bytes);
  } catch {
    // The charset is unknown, so the encoding is detected below.
  }
  return decodeText(bytes).text;
}

function decodeAs(bytes: Uint8Array, encoding: string, isGuessed = false) {
  const message = `read as ${encoding}: the file is not UTF-8 and names no encoding; save it as UTF-8 if letters look wrong`;
  const notices: ReadingNotice[] = isGuessed ? [{ code: "encoding_guessed", message }] : [];
  return { text: new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes), encoding, notices };
}

function markedEncoding([first, second, third, fourth]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) {
    throw new IngestError("bad_encoding", "this is UTF-32 text, which is not supported: save it as UTF-8");
  }
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Detects UTF-16 without a byte order mark: nearly all NUL bytes are at even positions, or nearly all at odd positions. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const nulsAt = (side: number) => sample.filter((byte, i) => byte === 0 && i % 2 === side).length;
  const [even, odd] = [nulsAt(0), nulsAt(1)];
  const enough = Math.max(MIN_NULS, sample.length * MIN_NUL_SHARE);
  if (bytes.length % 2 === 1 || Math.min(even, odd) > enough / 10) return null;
  return odd > enough ? "utf-16le" : even > enough ? "utf-16be" : null;
}

/**
 * Checks whether a byte is a control character that text never contains. Text may contain form feeds (ends of pages)
 * and escapes (ISO-2022).
 */
function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}

function likelyEncoding(bytes: Uint8Array): string {
  const found = detectedEncoding(bytes);
  return found === WESTERN && misplacedIn(bytes, MAC) < misplacedIn(bytes, WESTERN) ? MAC : found;
}

/**
 * Counts characters that rarely follow a small letter directly: non-ASCII capitals, control characters and symbols.
 * They indicate a wrong encoding: "café" from an old Macintosh, decoded as windows-1252, is "cafŽ".
 */
function misplacedIn(bytes: Uint8Array, encoding: string): number {
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, SAMPLE_BYTES));
  return text.match(/(?<=\p{Ll})(?![\0-\x7f])[\p{Lu}\p{Cc}\p{S}]/gu)?.length ?? 0;
}

function detectedEncoding(bytes: Uint8Array): string {
  for (const { name, confidence } of analyse(bytes.subarray(0, SAMPLE_BYTES))) {
    if (confidence < MIN_CONFIDENCE) break;
    const encoding = knownLabel(name);
    if (encoding !== null && encoding !== "utf-8" && !new TextDecoder(encoding).decode(bytes.subarray(0, SAMPLE_BYTES)).includes("\ufffd"))
      return encoding;
  }
  return WESTERN;
}

function knownLabel(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function binary(reason: string, offset: number): IngestError {
  const message = `${reason}, so the file is not text. Export it as text, Markdown, HTML, PDF or DOCX, or leave it out`;
  return new IngestError("binary_file", message, { offset });
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE_BYTES)).toString("latin1");
}
