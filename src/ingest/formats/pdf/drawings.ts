import { greatest, least } from "./extent.ts";
import { apply, type Matrix } from "./matrix.ts";
import type { Segment } from "./operators.ts";
import type { PdfBox, PdfPage, PdfRule } from "./words.ts";

/** A drawn shape of this size, in points, may stand for the sign that opens an item of a list. */
const SMALLEST_DOT = 1;
const LARGEST_DOT = 8;
/** More on a page are a chart's. */
const MOST_DOTS = 2_000;

/** A path as an operator draws it; `corners`: lower left and upper right of all its points. */
interface Path {
  readonly segments: readonly Segment[];
  readonly isFilled: boolean;
  readonly corners: Segment;
}

/** What a page shows beside words. */
export interface Drawings {
  readonly rules: readonly PdfRule[];
  readonly dots: readonly PdfBox[];
  /** What is painted so far: on it, white letters are seen. */
  readonly grounds: readonly PdfBox[];
  /** The largest picture, with its area in square points. */
  readonly picture: { readonly box: PdfPage["picture"]; readonly area: number };
  addPath(path: Path, state: { readonly matrix: Matrix; readonly fill: string }): void;
  addPicture(matrix: Matrix): void;
}

export function createDrawings(): Drawings {
  const rules: PdfRule[] = [];
  const dots: PdfBox[] = [];
  const grounds: PdfBox[] = [];
  let picture: Drawings["picture"] = { box: null, area: 0 };
  return {
    rules,
    dots,
    grounds,
    get picture() {
      return picture;
    },
    addPath({ segments, isFilled, corners }, { matrix, fill }) {
      const dot = dotOf(apply(matrix, corners.x1, corners.y1), apply(matrix, corners.x2, corners.y2));
      if (dot !== null && dots.length < MOST_DOTS) dots.push(dot);
      for (const { x1, y1, x2, y2 } of segments) {
        const [ax, ay] = apply(matrix, x1, y1);
        const [bx, by] = apply(matrix, x2, y2);
        rules.push({ x1: Math.min(ax, bx), y1: Math.min(ay, by), x2: Math.max(ax, bx), y2: Math.max(ay, by) });
      }
      if (isFilled && fill.toLowerCase() !== "#ffffff" && segments.length > 0) grounds.push(boundsOf(rules.slice(-segments.length)));
    },
    addPicture(matrix) {
      const [x1, y1] = apply(matrix, 0, 0);
      const [x2, y2] = apply(matrix, 1, 1);
      const box = boxBetween([x1, y1], [x2, y2]);
      const area = Math.abs((x2 - x1) * (y2 - y1));
      if (area > picture.area) picture = { box, area };
      grounds.push(box);
    },
  };
}

function boxBetween([ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]): PdfBox {
  return { x: Math.min(ax, bx), y: Math.min(ay, by), right: Math.max(ax, bx), bottom: Math.max(ay, by) };
}

/** A small shape about as wide as high; `null`: it is none. */
function dotOf(one: readonly [number, number], other: readonly [number, number]): PdfBox | null {
  const box = boxBetween(one, other);
  const [width, height] = [box.right - box.x, box.bottom - box.y];
  const isSmall = (length: number) => length >= SMALLEST_DOT && length <= LARGEST_DOT;
  return isSmall(width) && isSmall(height) && width < height * 1.5 && height < width * 1.5 ? box : null;
}

function boundsOf(rules: readonly PdfRule[]): PdfBox {
  return {
    x: least(rules.map(({ x1 }) => x1)),
    y: least(rules.map(({ y1 }) => y1)),
    right: greatest(rules.map(({ x2 }) => x2)),
    bottom: greatest(rules.map(({ y2 }) => y2)),
  };
}
