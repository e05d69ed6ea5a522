/** A box in points from the upper left corner of the displayed page. A straight line is the box between its ends. */
export interface PdfBox {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
}

/** A word on a page. */
export interface PdfWord extends PdfBox {
  readonly text: string;
  readonly baseline: number;
  /** Letter size, in points. */
  readonly size: number;
  readonly isBold: boolean;
  /** True if the font of the word is monospaced. */
  readonly isMono: boolean;
  /** True if white space precedes the word. */
  readonly isSpaced: boolean;
  /** Number of the text operation that drew the word. One operation draws on one line only. */
  readonly run: number;
  /** True if the file marks the word as not part of the content, such as a running header. */
  readonly isArtifact: boolean;
  /** Reason why the word is invisible; `null` if it is visible. */
  readonly hidden: "invisible" | "white" | "tiny" | "off_page" | null;
  /** True if the word is drawn in another direction than the page. */
  readonly isTurned: boolean;
}

export interface PdfPage {
  /** Page number, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** In file order. */
  readonly words: readonly PdfWord[];
  /** The straight lines, and the edges of shapes, that are drawn on the page. */
  readonly rules: readonly PdfBox[];
  /** Small drawn shapes that may be marks of list items. */
  readonly dots: readonly PdfBox[];
  /** True if a picture covers most of the page, as in a scan. */
  readonly isPicture: boolean;
  /** Box of the largest picture, if any. */
  readonly picture: PdfBox | null;
}

/** A transformation `[a b c d e f]`, as in PDF: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];

/** Returns the matrix that applies `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function toMatrix(values: unknown): Matrix {
  const matrix = values as ArrayLike<number>;
  return [matrix[0] ?? 1, matrix[1] ?? 0, matrix[2] ?? 0, matrix[3] ?? 1, matrix[4] ?? 0, matrix[5] ?? 0];
}

/** Returns the smallest value. `Math.min(...values)` fails with more than some ten thousand arguments, and a page may have more words. */
export function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** Returns the largest value. Unlike `Math.max(...values)`, it accepts any number of values. */
export function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** Returns the smallest box around all boxes. */
export function boundsOf(boxes: readonly PdfBox[]): PdfBox {
  const [x, y] = [least(boxes.map((box) => box.x)), least(boxes.map((box) => box.y))];
  return { x, y, right: greatest(boxes.map(({ right }) => right)), bottom: greatest(boxes.map(({ bottom }) => bottom)) };
}

export function lettersOf(words: readonly PdfWord[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}
