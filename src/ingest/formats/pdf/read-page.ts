import { memoised } from "../../../text/memo.ts";
import { createDrawings, type OperatorNames, type OperatorPage, pathOf, runOperators } from "./operators.ts";
import { type Matrix, multiply, type PdfBox, type PdfPage, type PdfWord, toMatrix } from "./words.ts";

/** Minimum gap between words, as a multiple of the letter size: half of a usual space. */
const WORD_GAP = 0.16;
/** Maximum step back within a word, as a multiple of the letter size. */
const STEP_BACK = -0.4;
/** Maximum change of baseline within a word, as a multiple of the letter size. */
const BASELINE_STEP = 0.15;
/** Letter size below which text is illegible, in points. */
const TINY = 1;
/** Minimum share of the page that a picture must cover for the page to count as a scan. */
const PICTURE_SHARE = 0.5;
/** Matches names of monospaced fonts. Some fonts have no flag for this. */
const MONO_NAME = /mono(?!type)|courier|consolas|menlo|typewriter|cmtt|fixed/i;
const LIGATURE = /[\ufb00-\ufb06]/g;
/** Ascent and descent of fonts that state none, as multiples of the letter size. */
const ASCENT = 0.9;
const DESCENT = -0.22;

interface Glyph {
  readonly unicode: string;
  /** Advance width, in thousandths of the font size. */
  readonly width: number;
  readonly isSpace: boolean;
}

const NO_FONT = { isBold: false, isMono: false, ascent: ASCENT, descent: DESCENT, unit: 0.001 };

interface OpenWord extends Pick<PdfWord, "isSpaced" | "run" | "isArtifact"> {
  text: string;
  readonly box: GlyphBox;
  readonly line: TextLine;
  readonly state: State;
}

const START: Matrix = [1, 0, 0, 1, 0, 0];

type State = Readonly<ReturnType<typeof firstState>>;

function firstState(matrix: Matrix) {
  const spacing = { charSpacing: 0, wordSpacing: 0, scale: 1, rise: 0 };
  return { matrix, fill: "#000000", font: NO_FONT, size: 1, ...spacing, mode: 0, leading: 0 };
}

/** Interprets the drawing operators of a page. Returns its words with their boxes, its lines (`rules`) and its largest picture. */
export async function readPage(page: OperatorPage, number: number, names: OperatorNames): Promise<PdfPage> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const words: PdfWord[] = [];
  const drawings = createDrawings();
  const letters = createLetters((word) => words.push(toWord(word, { width, height }, drawings.grounds)));
  const fontOf = memoised((name: string) => fontFacts(page, name));
  const stack: State[] = [];
  let state = firstState(transform);
  let text = START;
  let line = text;
  const set = (changes: Partial<State>) => {
    state = { ...state, ...changes };
  };
  const multiplyBy = (matrix: Matrix) => set({ matrix: multiply(state.matrix, matrix) });
  const setTextMatrix = (matrix: Matrix) => {
    line = matrix;
    text = matrix;
  };
  const moveText = (x: unknown, y: unknown) => setTextMatrix(multiply(line, [1, 0, 0, 1, Number(x), Number(y)]));
  const restore = () => {
    state = stack.pop() ?? state;
  };
  const picture = () => drawings.addPicture(state.matrix);
  await runOperators(page, names, {
    save: () => stack.push(state),
    restore,
    transform: (args) => multiplyBy(toMatrix(args)),
    paintFormXObjectBegin: ([matrix]) => {
      stack.push(state);
      if (matrix !== null && matrix !== undefined) multiplyBy(toMatrix(matrix));
    },
    paintFormXObjectEnd: restore,
    beginText: () => setTextMatrix(START),
    setFont: ([name, size]) => set({ font: fontOf(String(name)), size: Number(size) }),
    setTextMatrix: ([matrix, ...rest]) => setTextMatrix(toMatrix(typeof matrix === "number" ? [matrix, ...rest] : matrix)),
    moveText: ([x, y]) => moveText(x, y),
    setLeadingMoveText: ([x, y]) => {
      set({ leading: Number(y) });
      moveText(x, y);
    },
    setLeading: ([value]) => set({ leading: -Number(value) }),
    nextLine: () => moveText(0, state.leading),
    setCharSpacing: ([value]) => set({ charSpacing: Number(value) }),
    setWordSpacing: ([value]) => set({ wordSpacing: Number(value) }),
    setHScale: ([value]) => set({ scale: Number(value) / 100 }),
    setTextRise: ([value]) => set({ rise: Number(value) }),
    setTextRenderingMode: ([value]) => set({ mode: Number(value) }),
    setFillRGBColor: ([color]) => set({ fill: String(color) }),
    setFillColorN: () => set({ fill: "pattern" }),
    setFillTransparent: () => set({ fill: "none" }),
    showText: ([glyphs]) => {
      text = letters.show((glyphs ?? []) as readonly (Glyph | number)[], state, text);
    },
    beginMarkedContent: ([tag]) => letters.mark(tag === "Artifact"),
    beginMarkedContentProps: ([tag]) => letters.mark(tag === "Artifact"),
    endMarkedContent: letters.unmark,
    constructPath: (args) => {
      const path = pathOf(args, names);
      if (path !== null) drawings.addPath(path, state);
    },
    paintImageXObject: picture,
    paintInlineImageXObject: picture,
    paintImageMaskXObject: picture,
  });
  letters.end();
  const { rules, dots, picture: largest } = drawings;
  const isPicture = largest.area > width * height * PICTURE_SHARE;
  return { number, width, height, words, rules, dots, isPicture, picture: largest.box };
}

/**
 * Creates a builder that joins letters into words, in the order in which they are drawn.
 * @param found receives every word that is not blank
 */
function createLetters(found: (word: OpenWord) => void) {
  const marks: boolean[] = [];
  let word: OpenWord | null = null;
  let sawSpace = false;
  let run = 0;
  const box: GlyphBox = { x: 0, y: 0, right: 0, bottom: 0, baseline: 0 };
  const end = () => {
    if (word !== null && word.text.trim() !== "") found(word);
    word = null;
  };
  const add = (visible: string, box: GlyphBox, line: TextLine, state: State) => {
    if (word !== null && !continues(word, box, line)) end();
    if (word === null) {
      word = { text: visible, box: { ...box }, line, state, isSpaced: sawSpace, run, isArtifact: marks.includes(true) };
      sawSpace = false;
      return;
    }
    word.text += visible;
    word.box.x = Math.min(word.box.x, box.x);
    word.box.right = Math.max(word.box.right, box.right);
    word.box.y = Math.min(word.box.y, box.y);
    word.box.bottom = Math.max(word.box.bottom, box.bottom);
  };
  return {
    end,
    /** Adds letters. Returns the text matrix after the last letter. */
    show(glyphs: readonly (Glyph | number)[], state: State, text: Matrix): Matrix {
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
    mark(isArtifact: boolean) {
      end();
      marks.push(isArtifact);
    },
    unmark() {
      end();
      marks.pop();
    },
  };
}

type GlyphBox = { -readonly [Name in keyof PdfBox | "baseline"]: number };

type TextLine = ReturnType<typeof lineOf>;

/**
 * Returns what all letters of one text operation share: `shown` is their size on the page, in points; `low` and `high`
 * are their extent below and above the baseline.
 */
function lineOf({ matrix, font, size, rise }: State, text: Matrix) {
  const full = multiply(matrix, text);
  const isTurned = Math.abs(full[1]) > Math.abs(full[0]) * 0.2 || full[0] < 0;
  return {
    full,
    shown: size * Math.hypot(full[2], full[3]),
    isTurned,
    rise,
    low: rise + font.descent * size,
    high: rise + font.ascent * size,
  };
}

/** Sets `box` to the box of the letter at distance `along` on the line. Allocates nothing: a page has thousands of letters. */
function placeOn({ full, rise, low, high }: TextLine, along: number, advance: number, box: GlyphBox): void {
  const [a, b, c, d, e, f] = full;
  const x = a * along + e;
  const y = b * along + f;
  const wideX = a * advance;
  const wideY = b * advance;
  box.x = Math.min(x + c * low, x + c * high) + Math.min(0, wideX);
  box.right = Math.max(x + c * low, x + c * high) + Math.max(0, wideX);
  box.y = Math.min(y + d * low, y + d * high) + Math.min(0, wideY);
  box.bottom = Math.max(y + d * low, y + d * high) + Math.max(0, wideY);
  box.baseline = y + d * rise;
}

function isBlank(text: string): boolean {
  const code = text.charCodeAt(0);
  // Fast path for visible ASCII letters.
  return !(code > 0x20 && code < 0x7f) && text.trim() === "";
}

function withoutLigatures(text: string): string {
  if (text.length === 1 && text.charCodeAt(0) < 0xfb00) return text;
  return text.replace(LIGATURE, (found) => found.normalize("NFKC"));
}

function continues(word: OpenWord, box: GlyphBox, { shown, isTurned }: TextLine): boolean {
  const change = Math.abs(word.line.shown - shown);
  if (word.line.isTurned || isTurned) return word.line.isTurned === isTurned && change < 0.1;
  if (Math.abs(word.box.baseline - box.baseline) > shown * BASELINE_STEP || change > shown * 0.2) return false;
  const gap = box.x - word.box.right;
  return gap < shown * WORD_GAP && gap > shown * STEP_BACK;
}

function toWord(word: OpenWord, page: Pick<PdfPage, "width" | "height">, grounds: readonly PdfBox[]): PdfWord {
  const { text, box, line, state, isSpaced, run, isArtifact } = word;
  const hidden = hiddenBy(word, page, grounds);
  // The invisible text layer of a scan may be in a monospaced font, although the picture shows another font.
  const isMono = state.font.isMono && hidden !== "invisible";
  const looks = { size: line.shown, isBold: state.font.isBold, isMono, isTurned: line.isTurned };
  return { ...box, ...looks, text, isSpaced, run, isArtifact, hidden };
}

/** Returns the reason why a word is invisible, or `null`. */
function hiddenBy({ box, line, state }: OpenWord, page: Pick<PdfPage, "width" | "height">, grounds: readonly PdfBox[]): PdfWord["hidden"] {
  const { x, y, right, bottom } = box;
  if (right < 0 || bottom < 0 || x > page.width || y > page.height) return "off_page";
  if (state.mode === 3 || state.mode === 7) return "invisible";
  if (line.shown < TINY) return "tiny";
  if (!/^#f[a-f0-9]f[a-f0-9]f[a-f0-9]$/i.test(state.fill) || state.mode % 4 !== 0) return null;
  const middle = { x: (x + right) / 2, y: (y + bottom) / 2 };
  const isIn = (one: PdfBox) => middle.x > one.x && middle.x < one.right && middle.y > one.y && middle.y < one.bottom;
  return grounds.some(isIn) ? null : "white";
}

function fontFacts(page: OperatorPage, name: string): typeof NO_FONT {
  const font = page.commonObjs.has(name) ? page.commonObjs.get(name) : null;
  if (font === null) return NO_FONT;
  const ascent = font.ascent !== undefined && font.ascent > 0.3 && font.ascent < 1.5 ? font.ascent : ASCENT;
  const descent = font.descent !== undefined && font.descent < 0 && font.descent > -0.8 ? font.descent : DESCENT;
  const unit = font.fontMatrix?.[0] ?? 0.001;
  const isBold = font.bold === true || font.black === true || /bold|black|heavy|semibold|demi/i.test(font.name ?? "");
  const isMono = font.fallbackName === "monospace" || MONO_NAME.test(font.name ?? "");
  return { isBold, isMono, ascent, descent, unit };
}
