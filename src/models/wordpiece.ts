/**
 * WordPiece over a trie: BERT's uncased normalisation and pre-tokenisation, greedy longest match in one walk per word.
 * Same ids as `lab/train/encoder/wordpiece.py`, which is the readable reference.
 */

/** A longer "word" is base64 or noise: what follows the 64th UTF-16 unit is dropped, so that it cannot outweigh the text around it. */
export const MAX_WORD_UNITS = 64;

const SKIP = 0;
const SPACE = 1;
const PUNCTUATION = 2;
const WORD = 3;
const IDEOGRAPH = 4;

/** What a character turns into: its kind, and the UTF-16 units that stand for it after lower-casing and removal of accents. */
interface CharacterRule {
  kind: number;
  units: readonly number[];
  /** Kind of each unit, where a letter decomposes into letters and punctuation. */
  kinds: readonly number[];
}

/** A tokeniser with scratch space of its own; not to be shared between threads. */
export interface Wordpiece {
  /** Writes the ids of `text` to `ids` (grown where needed) and returns how many there are. */
  encode(text: string): number;
  /** Holds the result of the last `encode`; valid up to its return value. */
  readonly ids: Int32Array;
}

/**
 * Ids are places in `pieces`; a character that no piece covers gets `pieces.length + hash % hashRows`,
 * so that unseen scripts and emoji have ids of their own.
 */
export function createWordpiece(pieces: readonly string[], hashRows: number): Wordpiece {
  const trie = buildTrie(pieces);
  const { alphabet, keys, children, terminal, mask } = trie;
  const rules = new Map<number, CharacterRule>();
  const asciiKind = new Uint8Array(128);
  const asciiUnit = new Uint16Array(128);
  for (let code = 0; code < 128; code++) {
    asciiKind[code] = kindOfAscii(code);
    asciiUnit[code] = code >= 65 && code <= 90 ? code + 32 : code;
  }
  const word = new Uint16Array(MAX_WORD_UNITS);
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

  function flush(length: number): void {
    let end = length;
    if (end === MAX_WORD_UNITS && isHighSurrogate(word[end - 1] as number)) end--;
    let start = 0;
    while (start < end) {
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
      if (found >= 0) {
        push(found);
        start = next;
      } else {
        let code = word[start] as number;
        start++;
        if (isHighSurrogate(code) && start < end) code = ((code - 0xd800) << 10) + ((word[start++] as number) - 0xdc00) + 0x10000;
        push(pieces.length + ((Math.imul(code, 2654435761) >>> 0) % hashRows));
      }
    }
  }

  function encode(text: string): number {
    count = 0;
    let length = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 128) {
        const kind = asciiKind[code] as number;
        if (kind === WORD) {
          if (length < MAX_WORD_UNITS) word[length++] = asciiUnit[code] as number;
        } else if (kind !== SKIP) {
          if (length > 0) flush(length);
          length = 0;
          if (kind === PUNCTUATION) {
            word[0] = code;
            flush(1);
          }
        }
        continue;
      }
      const point = text.codePointAt(i) as number;
      if (point > 0xffff) i++;
      let rule = rules.get(point);
      if (rule === undefined) {
        if (rules.size >= 8192) rules.clear();
        rule = ruleOf(point);
        rules.set(point, rule);
      }
      if (rule.kind === SKIP) continue;
      if (rule.kind === SPACE || rule.kind === IDEOGRAPH) {
        if (length > 0) flush(length);
        length = 0;
        if (rule.kind === IDEOGRAPH) {
          word.set(rule.units);
          flush(rule.units.length);
        }
        continue;
      }
      for (let u = 0; u < rule.units.length; u++) {
        if (rule.kinds[u] === PUNCTUATION) {
          if (length > 0) flush(length);
          word[0] = rule.units[u] as number;
          flush(1);
          length = 0;
        } else if (length < MAX_WORD_UNITS) word[length++] = rule.units[u] as number;
      }
    }
    if (length > 0) flush(length);
    return count;
  }

  return {
    encode,
    get ids() {
      return ids;
    },
  };
}

/** Letters are numbered; a child is found in an open-addressing table under `node * letters + letter`. */
interface Trie {
  alphabet: Uint16Array;
  letters: number;
  wordRoot: number;
  continuationRoot: number;
  keys: Int32Array;
  children: Int32Array;
  terminal: Int32Array;
  shift: number;
  mask: number;
}

function buildTrie(pieces: readonly string[]): Trie {
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

function kindOfAscii(code: number): number {
  if (code === 32 || (code >= 9 && code <= 13)) return SPACE;
  if (code < 32 || code === 127) return SKIP;
  const alphanumeric = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return alphanumeric ? WORD : PUNCTUATION;
}

function isIdeograph(point: number): boolean {
  return (
    (point >= 0x4e00 && point <= 0x9fff) ||
    (point >= 0x3400 && point <= 0x4dbf) ||
    (point >= 0x20000 && point <= 0x2fa1f) ||
    (point >= 0xf900 && point <= 0xfaff)
  );
}

function ruleOf(point: number): CharacterRule {
  const char = String.fromCodePoint(point);
  if (point === 0x85 || /^\p{Z}$/u.test(char)) return { kind: SPACE, units: [], kinds: [] };
  if (point === 0xfffd || /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}]$/u.test(char)) return { kind: SKIP, units: [], kinds: [] };
  if (isIdeograph(point)) return { kind: IDEOGRAPH, units: unitsOf(char), kinds: [] };
  const units: number[] = [];
  const kinds: number[] = [];
  for (const part of char.toLowerCase().normalize("NFD")) {
    if (/^\p{Mn}$/u.test(part)) continue;
    const code = part.codePointAt(0) as number;
    const kind = (code < 128 && kindOfAscii(code) === PUNCTUATION) || /^\p{P}$/u.test(part) ? PUNCTUATION : WORD;
    for (const unit of unitsOf(part)) {
      units.push(unit);
      kinds.push(kind);
    }
  }
  return { kind: WORD, units, kinds };
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}
