import { createDrawings, type OperatorNames, type OperatorPage, readOperators } from "./operators.ts";
import { type Matrix, multiply, type PdfBox, type PdfPage, type PdfWord, scaleOf } from "./words.ts";

/** White space wider than this parts words, in parts of the letters' size: half of a usual blank. */
const WORD_GAP = 0.16;
/** Letters that go back further than this begin a new word. */
const STEP_BACK = -0.4;
/** Letters that stand higher or lower than this, in parts of their size, are no part of the word before. */
const BASELINE_STEP = 0.15;
/** Text that is smaller than this cannot be read, in points. */
const TINY = 1;
/** A picture this large is the page. */
const PICTURE_SHARE = 0.5;
/** Fonts whose letters are all as wide, where their flags do not say it. */
const MONO_NAME = /mono(?!type)|courier|consolas|menlo|typewriter|cmtt|fixed/i;
const LIGATURE = /[\ufb00-\ufb06]/g;
/** Where fonts do not say it. */
const ASCENT = 0.9;
const DESCENT = -0.22;

interface Glyph {
  readonly unicode: string;
  /** In thousandths of the size. */
  readonly width: number;
  readonly isSpace: boolean;
}

interface State {
  readonly matrix: Matrix;
  readonly fill: string;
  readonly font: FontFacts;
  readonly size: number;
  readonly charSpacing: number;
  readonly wordSpacing: number;
  readonly scale: number;
  readonly rise: number;
  readonly mode: number;
  readonly leading: number;
}

interface FontFacts {
  readonly isBold: boolean;
  readonly isMono: boolean;
  readonly ascent: number;
  readonly descent: number;
  readonly unit: number;
}

const NO_FONT: FontFacts = { isBold: false, isMono: false, ascent: ASCENT, descent: DESCENT, unit: 0.001 };

interface OpenWord {
  text: string;
  x: number;
  right: number;
  top: number;
  bottom: number;
  readonly baseline: number;
  readonly size: number;
  readonly isSpaced: boolean;
  readonly state: State;
  readonly isTurned: boolean;
  readonly run: number;
  readonly isArtifact: boolean;
}

const START: Matrix = [1, 0, 0, 1, 0, 0];

function firstState(matrix: Matrix): State {
  const spacing = { charSpacing: 0, wordSpacing: 0, scale: 1, rise: 0 };
  return { matrix, fill: "#000000", font: NO_FONT, size: 1, ...spacing, mode: 0, leading: 0 };
}

/** Words with their boxes and rules of a page, by following what its operators draw. */
export async function readPage(page: OperatorPage, number: number, names: OperatorNames): Promise<PdfPage> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const words: PdfWord[] = [];
  const drawings = createDrawings();
  const letters = createLetters((word) => words.push(toWord(word, { width, height }, drawings.grounds)));
  const fontOf = createFonts(page);
  const stack: State[] = [];
  let state = firstState(transform);
  let text = START;
  let line = text;
  const moveTo = (x: number, y: number) => {
    line = multiply(line, [1, 0, 0, 1, x, y]);
    text = line;
  };
  const setMatrix = (matrix: Matrix) => {
    line = matrix;
    text = matrix;
  };
  await readOperators(page, names, {
    save: () => stack.push(state),
    restore: () => {
      state = stack.pop() ?? state;
    },
    transform: (matrix) => {
      state = { ...state, matrix: multiply(state.matrix, matrix) };
    },
    beginText: () => setMatrix(START),
    setFont: (name, size) => {
      state = { ...state, font: fontOf(name), size };
    },
    setTextMatrix: setMatrix,
    moveText: moveTo,
    set: (changes) => {
      state = { ...state, ...changes };
    },
    nextLine: () => moveTo(0, state.leading),
    showText: (glyphs) => {
      text = letters.show(glyphs as readonly (Glyph | number)[], state, text);
    },
    mark: letters.mark,
    unmark: letters.unmark,
    path: (segments, isFilled, corners) => drawings.addPath({ segments, isFilled, corners }, state),
    picture: () => drawings.addPicture(state.matrix),
  });
  letters.end();
  const { rules, dots, picture } = drawings;
  const isPicture = picture.area > width * height * PICTURE_SHARE;
  return { number, width, height, words, rules, dots, isPicture, picture: picture.box };
}

/** Puts letters together to words, as they are shown. */
interface Letters {
  /** Returns where the next letter would stand. */
  show(glyphs: readonly (Glyph | number)[], state: State, text: Matrix): Matrix;
  mark(isArtifact: boolean): void;
  unmark(): void;
  /** Ends the word that is open. */
  end(): void;
}

/** @param found is given every word that is not blank */
function createLetters(found: (word: OpenWord) => void): Letters {
  const marks: boolean[] = [];
  let word: OpenWord | null = null;
  let sawSpace = false;
  let run = 0;
  const box = { x: 0, right: 0, top: 0, bottom: 0, baseline: 0 };
  const end = () => {
    if (word !== null && word.text.trim() !== "") found(word);
    word = null;
  };
  const add = (visible: string, box: GlyphBox, line: TextLine, state: State) => {
    if (word !== null && !continues(word, box, line)) end();
    if (word === null) {
      const { shown, isTurned } = line;
      word = { text: visible, ...box, size: shown, isSpaced: sawSpace, state, isTurned, run, isArtifact: marks.includes(true) };
      sawSpace = false;
      return;
    }
    word.text += visible;
    word.x = Math.min(word.x, box.x);
    word.right = Math.max(word.right, box.right);
    word.top = Math.min(word.top, box.top);
    word.bottom = Math.max(word.bottom, box.bottom);
  };
  return {
    end,
    show(glyphs, state, text) {
      run++;
      const { font, size, scale } = state;
      const line = lineOf(state, text);
      const [a, b, c, d, e, f] = text;
      let along = 0;
      for (const glyph of glyphs) {
        if (typeof glyph === "number") {
          along -= (glyph / 1000) * size * scale;
          continue;
        }
        const advance = glyph.width * font.unit * size * scale;
        const visible = withoutLigatures(glyph.unicode);
        if (isBlank(visible)) {
          end();
          sawSpace = true;
        } else {
          placeOn(line, along, advance, box);
          add(visible, box, line, state);
        }
        along += advance + (state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0)) * scale;
      }
      return [a, b, c, d, e + a * along, f + b * along];
    },
    mark(isArtifact) {
      end();
      marks.push(isArtifact);
    },
    unmark() {
      end();
      marks.pop();
    },
  };
}

/** Where letters that are shown together stand on the page: what is the same for all of them. */
interface TextLine {
  readonly full: Matrix;
  /** Size of the letters on the page. */
  readonly shown: number;
  readonly isTurned: boolean;
  readonly rise: number;
  /** Lowest and highest place of a letter. */
  readonly low: number;
  readonly high: number;
}

interface GlyphBox {
  readonly x: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
}

function lineOf({ matrix, font, size, rise }: State, text: Matrix): TextLine {
  const full = multiply(matrix, text);
  const isTurned = Math.abs(full[1]) > Math.abs(full[0]) * 0.2 || full[0] < 0;
  return { full, shown: size * scaleOf(full), isTurned, rise, low: rise + font.descent * size, high: rise + font.ascent * size };
}

/** Sets the box of a letter that begins `along` its line: a page has thousands, so nothing is made for one. */
function placeOn(
  { full, rise, low, high }: TextLine,
  along: number,
  advance: number,
  box: { -readonly [K in keyof GlyphBox]: number },
): void {
  const [a, b, c, d, e, f] = full;
  const x = a * along + e;
  const y = b * along + f;
  const wideX = a * advance;
  const wideY = b * advance;
  box.x = Math.min(x + c * low, x + c * high) + Math.min(0, wideX);
  box.right = Math.max(x + c * low, x + c * high) + Math.max(0, wideX);
  box.top = Math.min(y + d * low, y + d * high) + Math.min(0, wideY);
  box.bottom = Math.max(y + d * low, y + d * high) + Math.max(0, wideY);
  box.baseline = y + d * rise;
}

function isBlank(text: string): boolean {
  const code = text.charCodeAt(0);
  // Nearly all letters: none of these is white space.
  return !(code > 0x20 && code < 0x7f) && text.trim() === "";
}

function withoutLigatures(text: string): string {
  if (text.length === 1 && text.charCodeAt(0) < 0xfb00) return text;
  return text.replace(LIGATURE, (found) => found.normalize("NFKC"));
}

function continues(word: OpenWord, box: GlyphBox, { shown, isTurned }: Pick<TextLine, "shown" | "isTurned">): boolean {
  if (word.isTurned || isTurned) return word.isTurned === isTurned && Math.abs(word.size - shown) < 0.1;
  if (Math.abs(word.baseline - box.baseline) > shown * BASELINE_STEP || Math.abs(word.size - shown) > shown * 0.2) return false;
  const gap = box.x - word.right;
  return gap < shown * WORD_GAP && gap > shown * STEP_BACK;
}

function toWord(word: OpenWord, page: { readonly width: number; readonly height: number }, grounds: readonly PdfBox[]): PdfWord {
  const { text, x, right, top, bottom, baseline, size, isSpaced, state, isTurned, run, isArtifact } = word;
  const middle = { x: (x + right) / 2, y: (top + bottom) / 2 };
  const isOff = right < 0 || bottom < 0 || x > page.width || top > page.height;
  const isWhite = /^#f[a-f0-9]f[a-f0-9]f[a-f0-9]$/i.test(state.fill) && state.mode % 4 === 0;
  const isOnGround = () => grounds.some((one) => middle.x > one.x && middle.x < one.right && middle.y > one.y && middle.y < one.bottom);
  const hidden = isOff
    ? "off_page"
    : state.mode === 3 || state.mode === 7
      ? "invisible"
      : size < TINY
        ? "tiny"
        : isWhite && !isOnGround()
          ? "white"
          : null;
  return {
    text,
    x,
    y: top,
    width: right - x,
    height: bottom - top,
    baseline,
    size,
    isBold: state.font.isBold,
    // Letters that text recognition lays under a picture are all as wide, whatever the picture shows.
    isMono: state.font.isMono && hidden !== "invisible",
    isSpaced,
    run,
    isArtifact,
    hidden,
    isTurned,
  };
}

/** What each font of a page says of itself, read once. */
function createFonts(page: OperatorPage): (name: string) => FontFacts {
  const known = new Map<string, FontFacts>();
  return (name) => {
    const facts = known.get(name) ?? fontFacts(page, name);
    known.set(name, facts);
    return facts;
  };
}

function fontFacts(page: OperatorPage, name: string): FontFacts {
  const font = page.commonObjs.has(name) ? page.commonObjs.get(name) : null;
  if (font === null) return NO_FONT;
  const ascent = font.ascent !== undefined && font.ascent > 0.3 && font.ascent < 1.5 ? font.ascent : ASCENT;
  const descent = font.descent !== undefined && font.descent < 0 && font.descent > -0.8 ? font.descent : DESCENT;
  const unit = font.fontMatrix?.[0] ?? 0.001;
  const isBold = font.bold === true || font.black === true || /bold|black|heavy|semibold|demi/i.test(font.name ?? "");
  const isMono = font.fallbackName === "monospace" || MONO_NAME.test(font.name ?? "");
  return { isBold, isMono, ascent, descent, unit };
}
