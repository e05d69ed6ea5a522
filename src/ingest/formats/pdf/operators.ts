import { setImmediate } from "node:timers/promises";
import { apply, boundsOf, type Matrix, type PdfBox, type PdfPage } from "./words.ts";

/** Minimum and maximum size of a drawn shape that may be the bullet of a list item, in points. */
const SMALLEST_DOT = 1;
const LARGEST_DOT = 8;
/** Maximum number of possible bullets (small drawn shapes) on a page. More belong to a chart. */
const MOST_DOTS = 2_000;

/** Collects the graphics of a page. */
export function createDrawings() {
  const rules: PdfBox[] = [];
  const dots: PdfBox[] = [];
  const grounds: PdfBox[] = [];
  let picture: { readonly box: PdfPage["picture"]; readonly area: number } = { box: null, area: 0 };
  return {
    rules,
    /** Small shapes, about as wide as high, which may be bullets. */
    dots,
    /** Areas painted so far. White letters are visible on them. */
    grounds,
    /** The largest picture, with its area in square points. */
    get picture() {
      return picture;
    },
    addPath(
      { segments, isFilled, bounds }: NonNullable<ReturnType<typeof pathOf>>,
      { matrix, fill }: { readonly matrix: Matrix; readonly fill: string },
    ) {
      const box = boxOf(matrix, bounds);
      if (isDot(box) && dots.length < MOST_DOTS) dots.push(box);
      for (const ends of segments) rules.push(boxOf(matrix, ends));
      if (isFilled && fill.toLowerCase() !== "#ffffff" && segments.length > 0) grounds.push(boundsOf(rules.slice(-segments.length)));
    },
    addPicture(matrix: Matrix) {
      const box = boxOf(matrix, [0, 0, 1, 1]);
      const area = (box.right - box.x) * (box.bottom - box.y);
      if (area > picture.area) picture = { box, area };
      grounds.push(box);
    },
  };
}

/** Returns the box on the page between two corners `[x1, y1, x2, y2]`, to which `matrix` is applied. */
function boxOf(matrix: Matrix, corners: ArrayLike<number>): PdfBox {
  const [x1, y1] = apply(matrix, corners[0] ?? 0, corners[1] ?? 0);
  const [x2, y2] = apply(matrix, corners[2] ?? 0, corners[3] ?? 0);
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) };
}

function isDot({ x, y, right, bottom }: PdfBox): boolean {
  const [shorter, longer] = [right - x, bottom - y].sort((a, b) => a - b) as [number, number];
  return shorter >= SMALLEST_DOT && longer <= LARGEST_DOT && longer < shorter * 1.5;
}

/** The members of the PDF library's page object that are used here. */
export interface OperatorPage {
  getViewport(options: { readonly scale: number }): { readonly width: number; readonly height: number; readonly transform: Matrix };
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
  readonly commonObjs: { has(id: string): boolean; get(id: string): LibraryFont };
}

interface LibraryFont {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
  /** Kind of the substitute font; `monospace` for monospaced fonts. */
  readonly fallbackName?: string;
  readonly ascent?: number;
  readonly descent?: number;
  readonly fontMatrix?: readonly number[];
}

/** Name of an operator → its number. */
export type OperatorNames = Readonly<Record<string, number>>;

export type OperatorAction = (args: readonly unknown[]) => void;

/** Maximum operators of a page that are executed. An ordinary page has some thousands. */
const MAX_OPERATORS = 3_000_000;
/** Codes of the operators in the data of a path. Any other code closes the path. */
const MOVE = 0;
const LINE = 1;
/** Number of operands by operator: a move, a line, a cubic curve, and a quadratic curve. */
const OPERANDS = [2, 2, 6, 4];

/** Runs the action of each operator of a page, in order. */
export async function runOperators(
  page: OperatorPage,
  names: OperatorNames,
  actions: Readonly<Record<string, OperatorAction>>,
): Promise<void> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const byNumber: (OperatorAction | undefined)[] = [];
  for (const [name, action] of Object.entries(actions)) if (names[name] !== undefined) byNumber[names[name]] = action;
  const argsOf = (i: number) => (argsArray[i] ?? []) as readonly unknown[];
  // Fonts arrive separately from the operators and are registered a few steps of the event loop later.
  if (fnArray.some((operator, i) => operator === names.setFont && !page.commonObjs.has(String(argsOf(i)[0])))) await setImmediate();
  const count = Math.min(fnArray.length, MAX_OPERATORS);
  for (let i = 0; i < count; i++) byNumber[fnArray[i] ?? -1]?.(argsOf(i));
}

const FILLS = ["fill", "eoFill", "fillStroke", "eoFillStroke", "closeFillStroke", "closeEOFillStroke"];

/** Returns the path that `constructPath` draws; `null` if it paints nothing. */
export function pathOf([paint, data, bounds]: readonly unknown[], names: OperatorNames) {
  const [path] = (data ?? []) as readonly (ArrayLike<number> | null)[];
  if (paint === names.endPath || path === null || path === undefined) return null;
  const isFilled = FILLS.some((name) => names[name] === paint);
  return { segments: segmentsOf(path), isFilled, bounds: (bounds ?? []) as ArrayLike<number> };
}

/** Returns the ends `[x1, y1, x2, y2]` of the straight lines of a path. Closing the path adds the line back to its start. */
function segmentsOf(path: ArrayLike<number>): number[][] {
  const segments: number[][] = [];
  let start: readonly [number, number] = [0, 0];
  let at = start;
  for (let i = 0; i < path.length; ) {
    const operator = path[i++];
    const operands = OPERANDS[operator ?? -1];
    i += operands ?? 0;
    // The last operands are the point to which the operator leads. Without operands, it closes the path.
    const to: readonly [number, number] = operands === undefined ? start : [path[i - 2] ?? 0, path[i - 1] ?? 0];
    const isClosing = operands === undefined && (at[0] !== start[0] || at[1] !== start[1]);
    if (operator === LINE || isClosing) segments.push([...at, ...to]);
    if (operator === MOVE) start = to;
    at = to;
  }
  return segments;
}
