/**
 * WordPiece over a trie: BERT's uncased normalisation and pre-tokenisation, then greedy longest match. Text such as
 * "[SEP]" is tokenised as characters, never as a special token. There are two variants. That of the embedded encoder
 * equals `lab/train/encoder/wordpiece.py`, that of the cross-encoder equals `BertTokenizer`.
 */

import { memoised } from "./memo.ts";

/**
 * Maximum length of a word for the encoder, in UTF-16 units; the rest is cut. A longer word is base64 or noise and must
 * not outweigh the text around it.
 */
export const MAX_ENCODER_WORD_UNITS = 64;
/** Maximum length of a word for the cross-encoder, in characters. A longer word becomes the unknown token, as in BERT. */
const MAX_WORD_CHARACTERS = 100;
/** Maximum number of cached character rules. */
const KEPT_RULES = 8192;

const SKIP = 0;
const SPACE = 1;
const PUNCTUATION = 2;
const WORD = 3;
const IDEOGRAPH = 4;

/** How the tokeniser treats a character: its kind, and its UTF-16 units after lower-casing and removal of accents. */
interface CharacterRule {
  readonly kind: number;
  readonly units: readonly number[];
  /** Kind of each unit: `WORD` or `PUNCTUATION`. Empty where the kind of the character decides. */
  readonly kinds: readonly number[];
}

/**
 * Treatment of characters that no piece covers. Either each such character is hashed to one of `hashRows` extra ids, or
 * the word that contains it becomes the id `piece`.
 */
export type Uncovered = { readonly hashRows: number } | { readonly piece: number };

/**
 * Creates a tokeniser. Token ids are indexes of `pieces`. The tokeniser reuses its buffers between calls, so threads
 * must not share it.
 */
export function createWordpiece(pieces: readonly string[], uncovered: Uncovered) {
  const trie = buildTrie(pieces);
  const { alphabet, keys, children, terminal, mask } = trie;
  const hashRows = "hashRows" in uncovered ? uncovered.hashRows : 0;
  const unknown = "piece" in uncovered ? uncovered.piece : -1;
  const isEncoder = hashRows > 0;
  const ruleFor = isEncoder ? encoderRule : bertRule;
  const ruleOf = memoised(ruleFor, KEPT_RULES);
  const ascii = Array.from({ length: 128 }, (_, code) => ruleFor(code));
  const asciiKinds = Uint8Array.from(ascii, ({ kind, kinds }) => kinds[0] ?? kind);
  const asciiUnits = Uint16Array.from(ascii, ({ units }) => units[0] ?? 0);
  // A character becomes at most two units.
  const mostUnits = isEncoder ? MAX_ENCODER_WORD_UNITS : 2 * MAX_WORD_CHARACTERS;
  const word = new Uint16Array(mostUnits);
  let ids = new Int32Array(1024);
  let count = 0;

  function push(id: number): void {
    if (count === ids.length) {
      const larger = new Int32Array(ids.length * 2);
      larger.set(ids);
      ids = larger;
    }
    ids[count++] = id;
  }

  /** Pushes the ids of the current word. Its `length` units are in `word`; `characters` is its number of characters. */
  function split(length: number, characters: number): void {
    const before = count;
    const end = isEncoder && length === mostUnits && isHighSurrogate(word[length - 1] as number) ? length - 1 : length;
    let isCovered = isEncoder || characters <= MAX_WORD_CHARACTERS;
    for (let start = 0; isCovered && start < end; ) {
      const next = longestPiece(start, end);
      if (next > start) start = next;
      else if (isEncoder) {
        let code = word[start++] as number;
        if (isHighSurrogate(code) && start < end) code = ((code - 0xd800) << 10) + ((word[start++] as number) - 0xdc00) + 0x10000;
        push(pieces.length + ((Math.imul(code, 2654435761) >>> 0) % hashRows));
      } else isCovered = false;
    }
    if (isCovered) return;
    count = before;
    push(unknown);
  }

  /**
   * Pushes the id of the longest piece that begins at `start`.
   * @returns the end of the piece, or `start` if no piece begins there
   */
  function longestPiece(start: number, end: number): number {
    let node = start === 0 ? trie.wordRoot : trie.continuationRoot;
    let found = -1;
    let next = start;
    for (let i = start; i < end; i++) {
      const letter = alphabet[word[i] as number] as number;
      if (letter === 0) break;
      const key = node * trie.letters + letter;
      let slot = Math.imul(key, 0x9e3779b1) >>> trie.shift;
      while (keys[slot] !== key && keys[slot] !== -1) slot = (slot + 1) & mask;
      if (keys[slot] === -1) break;
      node = children[slot] as number;
      const id = terminal[node] as number;
      if (id >= 0) {
        found = id;
        next = i + 1;
      }
    }
    if (found >= 0) push(found);
    return next;
  }

  /** Encodes `text` into `ids`, which grows as needed, and returns the number of ids. Stops after `limit` ids. */
  function encode(text: string, limit = Number.POSITIVE_INFINITY): number {
    count = 0;
    // Units and characters of the current word so far.
    let length = 0;
    let characters = 0;
    for (let i = 0; i < text.length && count < limit; i++) {
      const code = text.charCodeAt(i);
      if (code < 128) {
        const kind = asciiKinds[code] as number;
        if (kind === WORD) {
          if (length < mostUnits) word[length++] = asciiUnits[code] as number;
          characters++;
        } else if (kind !== SKIP) {
          if (length > 0) split(length, characters);
          length = characters = 0;
          if (kind === PUNCTUATION) {
            word[0] = code;
            split(1, 1);
          }
        }
        continue;
      }
      const point = text.codePointAt(i) as number;
      if (point > 0xffff) i++;
      const { kind, units, kinds } = ruleOf(point);
      const isAlone = kind === SPACE || kind === IDEOGRAPH;
      if (isAlone && length > 0) split(length, characters);
      if (isAlone) length = characters = 0;
      for (let u = 0; u < units.length; u++) {
        const unit = units[u] as number;
        // The encoder was trained with the two surrogates of a punctuation character as two words.
        const isMark = kinds[u] === PUNCTUATION;
        if (isMark && (isEncoder || !isLowSurrogate(unit))) {
          if (length > 0) split(length, characters);
          length = characters = 0;
        }
        if (length < mostUnits) word[length++] = unit;
        if (!isLowSurrogate(unit)) characters++;
        if (isMark && (isEncoder || !isHighSurrogate(unit))) {
          split(length, characters);
          length = characters = 0;
        }
      }
      if (isAlone && length > 0) split(length, characters);
      if (isAlone) length = characters = 0;
    }
    if (length > 0) split(length, characters);
    return Math.min(count, limit);
  }

  return {
    encode,
    /** Ids of the last call of `encode`; valid up to the number that the call returned. */
    get ids() {
      return ids;
    },
  };
}

/**
 * Builds the trie of the pieces. Each letter gets a number. An open-addressing hash table holds each child node under
 * the key `node * letters + letter`.
 */
function buildTrie(pieces: readonly string[]) {
  const alphabet = new Uint16Array(65536);
  let letters = 1;
  let units = 2;
  for (const piece of pieces) {
    units += piece.length;
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      if (alphabet[unit] === 0) alphabet[unit] = letters++;
    }
  }
  const bits = 32 - Math.clz32(units * 2);
  const size = 1 << bits;
  const keys = new Int32Array(size).fill(-1);
  const children = new Int32Array(size);
  const terminal = new Int32Array(units + 2).fill(-1);
  const trie = { alphabet, letters, wordRoot: 0, continuationRoot: 1, keys, children, terminal, shift: 32 - bits, mask: size - 1 };
  let nodes = 2;
  for (const [id, piece] of pieces.entries()) {
    const continues = piece.length > 2 && piece.startsWith("##");
    let node = continues ? 1 : 0;
    for (let i = continues ? 2 : 0; i < piece.length; i++) {
      const key = node * letters + (alphabet[piece.charCodeAt(i)] as number);
      let slot = Math.imul(key, 0x9e3779b1) >>> trie.shift;
      while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & trie.mask;
      if (keys[slot] === -1) {
        keys[slot] = key;
        children[slot] = nodes++;
      }
      node = children[slot] as number;
    }
    terminal[node] = id;
  }
  return trie;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function bertRule(point: number): CharacterRule {
  const char = String.fromCodePoint(point);
  const isWhiteSpace = point === 9 || point === 10 || point === 13 || /^(?!\p{Cc})\p{White_Space}$/u.test(char);
  if (isWhiteSpace) return { kind: SPACE, units: [], kinds: [] };
  if (point === 0xfffd || /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}]$/u.test(char)) return { kind: SKIP, units: [], kinds: [] };
  const units: number[] = [];
  const kinds: number[] = [];
  for (const part of char
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()) {
    if (/^\p{Mn}$/u.test(part)) continue;
    const kind = isPunctuation(part) ? PUNCTUATION : WORD;
    for (const unit of unitsOf(part)) {
      units.push(unit);
      kinds.push(kind);
    }
  }
  return { kind: BERT_IDEOGRAPHS.test(char) ? IDEOGRAPH : WORD, units, kinds };
}

/** Returns BERT's rule, except for a few characters that were treated differently when the encoder was trained. */
function encoderRule(point: number): CharacterRule {
  const char = String.fromCodePoint(point);
  if (point === 0x85 || point === 11 || point === 12) return { kind: SPACE, units: [], kinds: [] };
  const isAssigned = !/^[\p{Cc}\p{Cf}\p{Cs}\p{Co}]$/u.test(char);
  if (isAssigned && ENCODER_IDEOGRAPHS.test(char)) return { kind: IDEOGRAPH, units: unitsOf(char), kinds: [] };
  return bertRule(point);
}

/** The Unicode blocks that BERT treats as ideographs. */
const BERT_IDEOGRAPHS =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/u;
const ENCODER_IDEOGRAPHS = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]/u;

/** Checks for Unicode punctuation, or an ASCII character that is neither letter, digit, space nor control character. */
function isPunctuation(char: string): boolean {
  return /^[!-/:-@[-`{-~]$/.test(char) || /^\p{P}$/u.test(char);
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}
