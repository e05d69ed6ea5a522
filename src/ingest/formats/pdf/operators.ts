import { setImmediate } from "node:timers/promises";
import { apply, greatest, least, type Matrix, type PdfBox, type PdfPage, type PdfRule } from "./words.ts";

/** Collects the graphics of a page. */
export function createDrawings() {
  const rules: PdfRule[] = [];
  const grounds: PdfBox[] = [];
  let picture: { readonly box: PdfPage["picture"]; readonly area: number } = { box: null, area: 0 };
  return {
    rules,
    /** Painted areas so far, on which white letters are visible. */
    grounds,
    /** The largest picture, with its area in square points. */
    get picture() {
      return picture;
    },
    addPath(
      { segments, isFilled }: NonNullable<ReturnType<typeof pathOf>>,
      { matrix, fill }: { readonly matrix: Matrix; readonly fill: string },
    ) {
      for (const { x1, y1, x2, y2 } of segments) {
        const [ax, ay] = apply(matrix, x1, y1);
        const [bx, by] = apply(matrix, x2, y2);
        rules.push({ x1: Math.min(ax, bx), y1: Math.min(ay, by), x2: Math.max(ax, bx), y2: Math.max(ay, by) });
      }
      if (isFilled && fill.toLowerCase() !== "#ffffff" && segments.length > 0) grounds.push(boundsOf(rules.slice(-segments.length)));
    },
    addPicture(matrix: Matrix) {
      const [x1, y1] = apply(matrix, 0, 0);
      const [x2, y2] = apply(matrix, 1, 1);
      const box = { x: Math.min(x1, x2), y: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) };
      const area = Math.abs((x2 - x1) * (y2 - y1));
      if (area > picture.area) picture = { box, area };
      grounds.push(box);
    },
  };
}

function boundsOf(rules: readonly PdfRule[]): PdfBox {
  return {
    x: least(rules.map(({ x1 }) => x1)),
    y: least(rules.map(({ y1 }) => y1)),
    right: greatest(rules.map(({ x2 }) => x2)),
    bottom: greatest(rules.map(({ y2 }) => y2)),
  };
}

/** The part of the library's page that this module uses. */
export interface OperatorPage {
  getViewport(options: { readonly scale: number }): { readonly width: number; readonly height: number; readonly transform: Matrix };
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
  readonly commonObjs: { has(id: string): boolean; get(id: string): LibraryFont };
}

interface LibraryFont {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
  /** Category of the substitute font: "monospace" for monospaced ones. */
  readonly fallbackName?: string;
  readonly ascent?: number;
  readonly descent?: number;
  readonly fontMatrix?: readonly number[];
}

/** Operator numbers by name. */
export type OperatorNames = Readonly<Record<string, number>>;

export type OperatorAction = (args: readonly unknown[]) => void;

/** Maximum operators of a page that are executed. An ordinary page has some thousands. */
const MAX_OPERATORS = 3_000_000;
/** Operators in the data of a path. */
const MOVE = 0;
const LINE = 1;
const CURVE = 2;
const QUADRATIC = 3;

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
  // Fonts arrive separately from the operators and are registered a few event-loop steps later.
  if (fnArray.some((operator, i) => operator === names.setFont && !page.commonObjs.has(String(argsOf(i)[0])))) await setImmediate();
  const count = Math.min(fnArray.length, MAX_OPERATORS);
  for (let i = 0; i < count; i++) byNumber[fnArray[i] ?? -1]?.(argsOf(i));
}

const FILLS = ["fill", "eoFill", "fillStroke", "eoFillStroke", "closeFillStroke", "closeEOFillStroke"];

/** Returns the path that `constructPath` draws; `null` if it paints nothing. */
export function pathOf([paint, data]: readonly unknown[], names: OperatorNames) {
  const [path] = (data ?? []) as readonly (ArrayLike<number> | null)[];
  if (paint === names.endPath || path === null || path === undefined) return null;
  return { segments: segmentsOf(path), isFilled: FILLS.some((name) => names[name] === paint) };
}

/** Returns the straight segments of a path. Closing a path adds its last side. */
function segmentsOf(path: ArrayLike<number>): PdfRule[] {
  const segments: PdfRule[] = [];
  let start: readonly [number, number] = [0, 0];
  let at = start;
  for (let i = 0; i < path.length; ) {
    const operator = path[i++];
    const point = (offset: number): readonly [number, number] => [path[i + offset] ?? 0, path[i + offset + 1] ?? 0];
    if (operator === MOVE) {
      start = point(0);
      at = start;
      i += 2;
    } else if (operator === LINE) {
      const to = point(0);
      segments.push({ x1: at[0], y1: at[1], x2: to[0], y2: to[1] });
      at = to;
      i += 2;
    } else if (operator === CURVE) {
      at = point(4);
      i += 6;
    } else if (operator === QUADRATIC) {
      at = point(2);
      i += 4;
    } else {
      if (at[0] !== start[0] || at[1] !== start[1]) segments.push({ x1: at[0], y1: at[1], x2: start[0], y2: start[1] });
      at = start;
    }
  }
  return segments;
}
