/**
 * BERT's uncased WordPiece with the place of every token in the text, the same ids as `BertTokenizer` gives, with the one
 * difference that "[SEP]" and the like in a text are its characters and never special tokens.
 */

/** A word of more characters is one [UNK], as in BERT. */
const MAX_WORD_CHARACTERS = 100;

/** Tokens of a text: `ids[i]` stands for the UTF-16 units `starts[i]` to `ends[i]`. */
export interface Tokens {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export interface Wordpiece {
  /** At most `limit` tokens; what follows is not read, so that a cut costs no more than what is kept. */
  encode(text: string, limit?: number): Tokens;
  /** The id of a special piece; throws when the vocabulary has none. */
  idOf(piece: string): number;
}

const SKIP = 0;
const SPACE = 1;
const WORD = 2;
/** A word of its own: punctuation and ideographs. */
const ALONE = 3;

/** What a character becomes: its kind, and the characters that stand for it in lower case and without accents. */
interface CharacterRule {
  readonly kind: number;
  readonly parts: readonly { readonly text: string; readonly alone: boolean }[];
}

export function createWordpiece(pieces: readonly string[]): Wordpiece {
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const longest = pieces.reduce((length, piece) => Math.max(length, piece.length), 0);
  const idOf = (piece: string) => {
    const id = ids.get(piece);
    if (id === undefined) throw new Error(`the vocabulary has no piece "${piece}"`);
    return id;
  };
  const unknown = idOf("[UNK]");
  const rules = new Map<number, CharacterRule>();

  function ruleFor(point: number): CharacterRule {
    let rule = rules.get(point);
    if (rule === undefined) {
      if (rules.size >= 8192) rules.clear();
      rule = ruleOf(point);
      rules.set(point, rule);
    }
    return rule;
  }

  function encode(text: string, limit = Number.POSITIVE_INFINITY): Tokens {
    const out = createTokenList();
    // The word at hand: its units as they are looked up, and for each the character of the text that it comes from.
    let word = "";
    let characters = 0;
    const from: number[] = [];
    const to: number[] = [];
    const add = (part: string, start: number, end: number) => {
      characters++;
      // What is longer is [UNK] whatever its letters are: only its place counts.
      if (characters > MAX_WORD_CHARACTERS) {
        to[to.length - 1] = end;
        return;
      }
      word += part;
      for (let unit = 0; unit < part.length; unit++) {
        from.push(start);
        to.push(end);
      }
    };
    const flush = () => {
      if (characters > 0) split();
      word = "";
      characters = from.length = to.length = 0;
    };
    function split(): void {
      const before = out.count;
      let start = 0;
      while (characters <= MAX_WORD_CHARACTERS && start < word.length) {
        let end = Math.min(word.length, start + longest);
        let id: number | undefined;
        for (; end > start; end--) {
          id = ids.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
          if (id !== undefined) break;
        }
        if (id === undefined) break;
        out.push(id, from[start] as number, to[end - 1] as number);
        start = end;
      }
      if (start < word.length || characters > MAX_WORD_CHARACTERS) {
        out.count = before;
        out.push(unknown, from[0] as number, to[to.length - 1] as number);
      }
    }

    for (let i = 0; i < text.length && out.count < limit; ) {
      const point = text.codePointAt(i) as number;
      const end = i + (point > 0xffff ? 2 : 1);
      const { kind, parts } = ruleFor(point);
      if (kind === SPACE || kind === ALONE) flush();
      for (const { text: part, alone } of parts) {
        if (alone) flush();
        add(part, i, end);
        if (alone) flush();
      }
      if (kind === ALONE) flush();
      // An accent that stands behind its letter belongs to the letter's place.
      if (kind === WORD && parts.length === 0) {
        if (to.length > 0) extend(to, end);
        else out.extendLast(i, end);
      }
      i = end;
    }
    flush();
    return out.take(limit);
  }

  return { encode, idOf };
}

/** Every unit that ends where the last one does, ends at `end` from now on. */
function extend(to: number[], end: number): void {
  const last = to[to.length - 1];
  for (let i = to.length - 1; i >= 0 && to[i] === last; i--) to[i] = end;
}

function createTokenList() {
  let ids = new Int32Array(256);
  let starts = new Int32Array(256);
  let ends = new Int32Array(256);
  const larger = (old: Int32Array) => {
    const grown = new Int32Array(old.length * 2);
    grown.set(old);
    return grown;
  };
  return {
    count: 0,
    push(id: number, start: number, end: number): void {
      if (this.count === ids.length) [ids, starts, ends] = [larger(ids), larger(starts), larger(ends)];
      ids[this.count] = id;
      starts[this.count] = start;
      ends[this.count++] = end;
    },
    /** Makes the last token end at `end` if it ended at `at`. */
    extendLast(at: number, end: number): void {
      if (this.count > 0 && ends[this.count - 1] === at) ends[this.count - 1] = end;
    },
    take(limit: number): Tokens {
      const count = Math.min(this.count, limit);
      return { ids: ids.slice(0, count), starts: starts.slice(0, count), ends: ends.slice(0, count) };
    },
  };
}

function ruleOf(point: number): CharacterRule {
  const char = String.fromCodePoint(point);
  if (point === 9 || point === 10 || point === 13 || /^\p{White_Space}$/u.test(char)) {
    // Other controls are dropped even where Unicode calls them white space.
    if (point === 9 || point === 10 || point === 13 || !/^\p{Cc}$/u.test(char)) return { kind: SPACE, parts: [] };
  }
  if (point === 0xfffd || /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}]$/u.test(char)) return { kind: SKIP, parts: [] };
  const parts: { text: string; alone: boolean }[] = [];
  for (const decomposed of char.normalize("NFD")) {
    if (/^\p{Mn}$/u.test(decomposed)) continue;
    for (const text of decomposed.toLowerCase()) parts.push({ text, alone: isPunctuation(text) });
  }
  return { kind: isIdeograph(point) ? ALONE : WORD, parts };
}

/** Punctuation of Unicode, and every other sign of ASCII. */
function isPunctuation(char: string): boolean {
  return /^[!-/:-@[-`{-~]$/.test(char) || /^\p{P}$/u.test(char);
}

/** BERT's list of blocks. */
function isIdeograph(point: number): boolean {
  return (
    (point >= 0x4e00 && point <= 0x9fff) ||
    (point >= 0x3400 && point <= 0x4dbf) ||
    (point >= 0x20000 && point <= 0x2a6df) ||
    (point >= 0x2a700 && point <= 0x2b73f) ||
    (point >= 0x2b740 && point <= 0x2b81f) ||
    (point >= 0x2b920 && point <= 0x2ceaf) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0x2f800 && point <= 0x2fa1f)
  );
}
