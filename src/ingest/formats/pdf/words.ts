/** A word on a page, in points from the upper left corner of the page as it is shown. */
export interface PdfWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where its letters stand. */
  readonly baseline: number;
  /** Of its letters, in points. */
  readonly size: number;
  readonly isBold: boolean;
  /** All letters of its font are as wide: a typewriter's. */
  readonly isMono: boolean;
  /** White space was written before it. */
  readonly isSpaced: boolean;
  /** Text operation that showed it: words of one stand in one line. */
  readonly run: number;
  /** Marked by the file as no part of the text: a running head, a page number. */
  readonly isArtifact: boolean;
  /** Why readers do not see it; `null`: they do. */
  readonly hidden: "invisible" | "white" | "tiny" | "off_page" | null;
  /** It runs in another direction than the page. */
  readonly isTurned: boolean;
}

/** A straight line or the edge of a box that the page draws. */
export interface PdfRule {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** Points from the upper left corner of the page. */
export interface PdfBox {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
}

/** What one page shows. */
export interface PdfPage {
  /** From 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** In the order of the file. */
  readonly words: readonly PdfWord[];
  readonly rules: readonly PdfRule[];
  /** Small drawn shapes: what opens items of lists where no sign does. */
  readonly dots: readonly PdfBox[];
  /** A picture covers most of the page: it may be a scan. */
  readonly isPicture: boolean;
  /** Where the largest picture stands; `null`: there is none. */
  readonly picture: PdfBox | null;
}

export function rightOf({ x, width }: { readonly x: number; readonly width: number }): number {
  return x + width;
}

export function bottomOf({ y, height }: { readonly y: number; readonly height: number }): number {
  return y + height;
}

/** `[a b c d e f]` as PDF writes it: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];

/** First `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** How much larger a height becomes. */
export function scaleOf([, , c, d]: Matrix): number {
  return Math.hypot(c, d);
}

export function toMatrix(values: unknown): Matrix {
  const matrix = values as ArrayLike<number>;
  return [matrix[0] ?? 1, matrix[1] ?? 0, matrix[2] ?? 0, matrix[3] ?? 1, matrix[4] ?? 0, matrix[5] ?? 0];
}

/** As `Math.min(...values)`, of as many as there are: a call takes some ten thousands at most, and a page may have more words. */
export function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** As `Math.max(...values)`, of as many as there are. */
export function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
