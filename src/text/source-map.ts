import type { SourceMapData, TextRange } from "../shared/types.ts";
import { firstIndex } from "./numbers.ts";

/**
 * Version of the normaliser, part of every document's version. Increase this when the same original can yield different
 * normalised text.
 */
export const NORMALISER_VERSION = "2";

/**
 * Matches everything that normalisation changes: white space other than a single blank, C0/C1 controls, soft hyphen,
 * zero-width and bidirectional controls, Unicode tags (invisible text), lone surrogates.
 */
const SPECIAL = /\s{2,}|[^\S ]|[\p{Cc}\p{Cs}\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Matches in every text in which `SPECIAL` matches, and in a few others. Much faster, so it is tested first. */
const MAY_BE_SPECIAL = /[^ -~\u00a1-\u00ac\u00ae-\u167f\u2010-\u2027\u2030-\u205e]| {2}/;
/** Matches characters that may combine with a neighbour into one character. Omits dashes and quotation marks, which never do. */
const MAY_COMPOSE = /[\u0300-\u200f\u205f-\uffff]/;
/** Matches a character with its combining marks, or a run of Hangul. At most 32 characters each, so that hostile input stays cheap. */
const CLUSTER =
  /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uac00-\ud7a3]{1,32}|[^\p{M}]\p{M}{1,32}|(?!\p{M})[\u0300-\u{10ffff}]|\p{M}{1,32}/gu;
/** Matches 32 combining marks in a row. Unicode normalisation sorts such marks in quadratic time, so they are detected first. */
const MARK_STACK = /\p{M}{32}/u;
const DROPPED = "";

/**
 * Builds normalised text from ranges of an original string and records the origin of each range. White space collapses,
 * also between ranges. A space is written only when a visible character follows on the same line.
 */
export class TextBuilder {
  readonly original: string;
  readonly #parts: string[] = [];
  readonly #map: number[] = [];
  #length = 0;
  /** True while the current line has no visible character. Spaces are dropped as long as this is true. */
  #lineStart = true;
  #blankAt = -1;
  #lastOpaque = true;

  constructor(original: string) {
    this.original = original;
  }

  /** Length of the text so far. Excludes a space at the end, which is written only if a visible character follows. */
  get length(): number {
    return this.#length;
  }

  /** True if the next visible character will be the first on its line. */
  get atLineStart(): boolean {
    return this.#lineStart;
  }

  /** Appends `original[start, end)` and collapses white space. */
  append(start: number, end: number): void {
    this.#scan(start, end, false);
  }

  /** Appends `original[start, end)`, such as code, and keeps its line breaks and spaces. */
  appendPreformatted(start: number, end: number): void {
    this.#scan(start, end, true);
  }

  /** Appends text that replaces `original[start, end)` as a whole, such as a decoded entity. */
  appendOpaque(text: string, start: number, end: number): void {
    let blank = this.#blankAt >= 0;
    let clean = normalisePiece(text);
    if (clean.startsWith(" ")) {
      clean = clean.slice(1);
      if (!this.#lineStart && !blank) {
        this.#blankAt = start;
        blank = true;
      }
    }
    const trailing = clean.endsWith(" ");
    if (trailing) clean = clean.slice(0, -1);
    if (clean === "") return;
    this.#flushBlank();
    this.#push(clean, start, end, true);
    this.#lineStart = false;
    if (trailing) this.#blankAt = Math.max(start, end - 1);
  }

  /**
   * Appends text that the original does not contain, such as a separator between blocks. Drops the spaces before this
   * text. A line break at the end of the text starts a new line.
   */
  appendSynthetic(text: string): void {
    this.#blankAt = -1;
    this.#parts.push(text);
    this.#length += text.length;
    this.#lineStart = text === "" ? this.#lineStart : /\s$/.test(text);
    this.#lastOpaque = true;
  }

  finish(): { readonly text: string; readonly sourceMap: SourceMapData } {
    return { text: this.#parts.join(""), sourceMap: this.#map };
  }

  #scan(start: number, end: number, preformatted: boolean): void {
    const piece = this.original.slice(start, end);
    if (!MAY_BE_SPECIAL.test(piece)) {
      this.#plain(piece, start, preformatted);
      return;
    }
    let from = 0;
    SPECIAL.lastIndex = 0;
    for (let match = SPECIAL.exec(piece); match !== null; match = SPECIAL.exec(piece)) {
      const at = match.index;
      const found = match[0];
      this.#plain(piece.slice(from, at), start + from, preformatted);
      from = at + found.length;
      if (/^\s+$/.test(found)) {
        if (preformatted) this.#preformattedSpace(found, start + at);
        else {
          const kept = found.search(/[^\ufeff]/);
          if (kept >= 0) this.#space(start + at + kept);
        }
      } else if (/[\ud800-\udfff]/.test(found) && found.length === 1) {
        this.#flushBlank();
        this.#push("\ufffd", start + at, start + at + 1, false);
        this.#lineStart = false;
      }
    }
    this.#plain(from === 0 ? piece : piece.slice(from), start + from, preformatted);
  }

  /** Appends text that contains no white space other than single spaces. */
  #plain(text: string, at: number, preformatted: boolean): void {
    if (text === "") return;
    let from = 0;
    let to = text.length;
    if (!preformatted) {
      if (text.charCodeAt(0) === 32) {
        this.#space(at);
        from = 1;
      }
      if (to > from && text.charCodeAt(to - 1) === 32) to--;
    }
    if (to > from) {
      this.#flushBlank();
      this.#composed(from === 0 && to === text.length ? text : text.slice(from, to), at + from);
      this.#lineStart = false;
      if (to < text.length) this.#space(at + to);
    }
  }

  #composed(text: string, at: number): void {
    if (!MAY_COMPOSE.test(text) || (!MARK_STACK.test(text) && text.normalize("NFC") === text)) {
      this.#push(text, at, at + text.length, false);
      return;
    }
    let from = 0;
    for (const match of text.matchAll(CLUSTER)) {
      const composed = match[0].normalize("NFC");
      if (composed === match[0]) continue;
      if (match.index > from) this.#push(text.slice(from, match.index), at + from, at + match.index, false);
      from = match.index + match[0].length;
      this.#push(composed, at + match.index, at + from, true);
    }
    if (from < text.length) this.#push(text.slice(from), at + from, at + text.length, false);
  }

  #space(at: number): void {
    if (!this.#lineStart && this.#blankAt < 0) this.#blankAt = at;
  }

  #preformattedSpace(found: string, at: number): void {
    for (let i = 0; i < found.length; i++) {
      const char = found[i];
      if (char === "\ufeff" || (char === "\r" && found[i + 1] === "\n")) continue;
      this.#flushBlank();
      this.#push(char === "\n" || char === "\r" || char === "\u2028" || char === "\u2029" ? "\n" : " ", at + i, at + i + 1, false);
      this.#lineStart = false;
    }
  }

  #flushBlank(): void {
    if (this.#blankAt < 0) return;
    this.#push(" ", this.#blankAt, this.#blankAt + 1, false);
    this.#blankAt = -1;
  }

  #push(text: string, start: number, end: number, opaque: boolean): void {
    const outStart = this.#length;
    this.#parts.push(text);
    this.#length += text.length;
    const last = this.#map.length;
    if (!opaque && !this.#lastOpaque && this.#map[last - 3] === outStart && this.#map[last - 1] === start) {
      this.#map[last - 3] = this.#length;
      this.#map[last - 1] = end;
      return;
    }
    this.#map.push(outStart, this.#length, start, end);
    this.#lastOpaque = opaque;
  }
}

/** Normalises a text as `TextBuilder` does: drops invisible characters, collapses white space, composes characters (NFC). */
export function normalisePiece(text: string): string {
  const clean = text
    .replace(SPECIAL, (found) => {
      if (/^\ufeff+$/.test(found)) return DROPPED;
      if (/^\s+$/.test(found)) return " ";
      return /^[\ud800-\udfff]$/.test(found) ? "\ufffd" : DROPPED;
    })
    .replace(/ {2,}/g, " ");
  return MARK_STACK.test(clean) ? clean.replace(CLUSTER, (cluster) => cluster.normalize("NFC")) : clean.normalize("NFC");
}

/**
 * Maps a range of normalised text to the original. If its segments have another order in the original, the result covers
 * all of them. A range that ends inside a replaced segment, such as a decoded entity, extends to the whole segment. A
 * range of separators, which the original does not contain, maps to the gap between their neighbours.
 */
export function toOriginal(map: SourceMapData, range: TextRange): TextRange {
  const count = map.length / 4;
  if (count === 0) return { start: 0, end: 0 };
  const first = firstIndex(count, (i) => value(map, i, 1) > range.start);
  const beyond = firstIndex(count, (i) => value(map, i, 0) >= Math.max(range.end, range.start + 1));
  if (first >= beyond) {
    const before = first > 0 ? value(map, first - 1, 3) : value(map, 0, 2);
    const after = first < count ? value(map, first, 2) : value(map, count - 1, 3);
    return { start: Math.min(before, after), end: range.end > range.start ? Math.max(before, after) : Math.min(before, after) };
  }
  const into = isIdentity(map, first) ? Math.max(0, range.start - value(map, first, 0)) : 0;
  const start = value(map, first, 2) + into;
  if (range.end <= range.start) return { start, end: start };
  const last = beyond - 1;
  const end = value(map, last, 3) - (isIdentity(map, last) ? Math.max(0, value(map, last, 1) - range.end) : 0);
  let from = Math.min(start, end);
  let to = Math.max(start, end);
  for (let i = first; i <= last; i++) {
    // The range may begin inside its first segment and end inside its last one.
    if (i > first) from = Math.min(from, value(map, i, 2));
    if (i < last) to = Math.max(to, value(map, i, 3));
  }
  return { start: from, end: to };
}

/** Combines two maps: `outer` from text to decoded string, and `inner` from decoded string to file. Returns a map from text to file. */
export function composeMaps(outer: SourceMapData, inner: SourceMapData): SourceMapData {
  const composed: number[] = [];
  for (let i = 0; i < outer.length / 4; i++) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = outer.slice(i * 4, i * 4 + 4);
    if (!isIdentity(outer, i)) {
      const place = toOriginal(inner, { start, end });
      composed.push(outStart, outEnd, place.start, place.end);
      continue;
    }
    let at = start;
    for (let j = firstIndex(inner.length / 4, (k) => value(inner, k, 1) > start); j < inner.length / 4 && at < end; j++) {
      const to = Math.min(end, value(inner, j, 1));
      const place = toOriginal(inner, { start: at, end: to });
      composed.push(outStart + at - start, outStart + to - start, place.start, place.end);
      at = to;
    }
  }
  return composed;
}

function isIdentity(map: SourceMapData, index: number): boolean {
  return value(map, index, 1) - value(map, index, 0) === value(map, index, 3) - value(map, index, 2);
}

function value(map: SourceMapData, index: number, field: 0 | 1 | 2 | 3): number {
  return map[index * 4 + field] ?? 0;
}
