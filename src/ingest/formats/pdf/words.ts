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
