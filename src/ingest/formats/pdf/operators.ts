import { setImmediate } from "node:timers/promises";
import { apply, greatest, least, type Matrix, type PdfBox, type PdfPage, type PdfRule, toMatrix } from "./words.ts";

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
interface Drawings {
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

/** What is needed of a page of the library. */
export interface OperatorPage {
  getViewport(options: { readonly scale: number }): { readonly width: number; readonly height: number; readonly transform: Matrix };
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
  readonly commonObjs: { has(id: string): boolean; get(id: string): LibraryFont };
}

interface LibraryFont {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
  /** Kind of letters to be shown where its own cannot be: "monospace" for those that are all as wide. */
  readonly fallbackName?: string;
  readonly ascent?: number;
  readonly descent?: number;
  readonly fontMatrix?: readonly number[];
}

/** Numbers of the operators by name. */
export type OperatorNames = Readonly<Record<string, number>>;

export interface Segment {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export interface TextState {
  readonly fill?: string;
  readonly charSpacing?: number;
  readonly wordSpacing?: number;
  readonly scale?: number;
  readonly rise?: number;
  readonly mode?: number;
  readonly leading?: number;
}

/** Called for what an operator does, in order. */
export interface OperatorHandler {
  save(): void;
  restore(): void;
  transform(matrix: Matrix): void;
  beginText(): void;
  setFont(name: string, size: number): void;
  setTextMatrix(matrix: Matrix): void;
  moveText(x: number, y: number): void;
  set(changes: TextState): void;
  nextLine(): void;
  showText(glyphs: readonly unknown[]): void;
  /** Marked content begins. */
  mark(isArtifact: boolean): void;
  unmark(): void;
  /** `corners`: lower left and upper right of all its points. */
  path(segments: readonly Segment[], isFilled: boolean, corners: Segment): void;
  picture(): void;
}

/** Operators of one page that are followed; a page for people has some thousands. */
const MAX_OPERATORS = 3_000_000;
/** Operators of a path's data. */
const MOVE = 0;
const LINE = 1;
const CURVE = 2;
const QUADRATIC = 3;

export async function readOperators(page: OperatorPage, names: OperatorNames, handler: OperatorHandler): Promise<void> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const actions = actionsOf(names, handler);
  const count = Math.min(fnArray.length, MAX_OPERATORS);
  // Fonts are sent beside the operators, before them, and are put where they are found some steps after they arrive.
  const isUnknown = (operator: number, i: number) => operator === names.setFont && !page.commonObjs.has(fontNameOf(argsArray[i]));
  if (fnArray.some(isUnknown)) await setImmediate();
  for (let i = 0; i < count; i++) actions[fnArray[i] ?? -1]?.((argsArray[i] ?? NONE) as readonly unknown[]);
}

function fontNameOf(args: unknown): string {
  return String((args as readonly unknown[])[0]);
}

type Action = (args: readonly unknown[]) => void;

const NONE: readonly unknown[] = [];

/** What is done for each operator, by its number. */
function actionsOf(names: OperatorNames, handler: OperatorHandler): readonly (Action | undefined)[] {
  const fills = new Set(
    ["fill", "eoFill", "fillStroke", "eoFillStroke", "closeFillStroke", "closeEOFillStroke"].map((name) => names[name]),
  );
  const noPaint = names.endPath;
  const setLeading = (value: unknown) => handler.set({ leading: -Number(value) });
  const actions: Readonly<Record<string, Action>> = {
    save: () => handler.save(),
    restore: () => handler.restore(),
    transform: (args) => handler.transform(toMatrix(args)),
    paintFormXObjectBegin: ([matrix]) => {
      handler.save();
      if (matrix !== null && matrix !== undefined) handler.transform(toMatrix(matrix));
    },
    paintFormXObjectEnd: () => handler.restore(),
    beginText: () => handler.beginText(),
    setFont: ([name, size]) => handler.setFont(String(name), Number(size)),
    setTextMatrix: ([matrix, ...rest]) => handler.setTextMatrix(toMatrix(typeof matrix === "number" ? [matrix, ...rest] : matrix)),
    moveText: ([x, y]) => handler.moveText(Number(x), Number(y)),
    setLeadingMoveText: ([x, y]) => {
      setLeading(-Number(y));
      handler.moveText(Number(x), Number(y));
    },
    setLeading: ([value]) => setLeading(value),
    nextLine: () => handler.nextLine(),
    setCharSpacing: ([value]) => handler.set({ charSpacing: Number(value) }),
    setWordSpacing: ([value]) => handler.set({ wordSpacing: Number(value) }),
    setHScale: ([value]) => handler.set({ scale: Number(value) / 100 }),
    setTextRise: ([value]) => handler.set({ rise: Number(value) }),
    setTextRenderingMode: ([value]) => handler.set({ mode: Number(value) }),
    setFillRGBColor: ([color]) => handler.set({ fill: String(color) }),
    setFillColorN: () => handler.set({ fill: "pattern" }),
    setFillTransparent: () => handler.set({ fill: "none" }),
    showText: ([glyphs]) => handler.showText((glyphs ?? []) as readonly unknown[]),
    beginMarkedContent: ([tag]) => handler.mark(tag === "Artifact"),
    beginMarkedContentProps: ([tag]) => handler.mark(tag === "Artifact"),
    endMarkedContent: () => handler.unmark(),
    constructPath: ([paint, data]) => {
      const [path] = (data ?? []) as readonly (ArrayLike<number> | null)[];
      if (paint !== noPaint && path !== null && path !== undefined)
        handler.path(segmentsOf(path), fills.has(Number(paint)), cornersOf(path));
    },
    paintImageXObject: () => handler.picture(),
    paintInlineImageXObject: () => handler.picture(),
    paintImageMaskXObject: () => handler.picture(),
  };
  const byNumber: (Action | undefined)[] = [];
  for (const [name, action] of Object.entries(actions)) if (names[name] !== undefined) byNumber[names[name]] = action;
  return byNumber;
}

/** Numbers behind an operator of a path's data. */
const POINTS: Readonly<Record<number, number>> = { [MOVE]: 2, [LINE]: 2, [CURVE]: 6, [QUADRATIC]: 4 };

function cornersOf(path: ArrayLike<number>): Segment {
  const box = { x1: Number.POSITIVE_INFINITY, y1: Number.POSITIVE_INFINITY, x2: Number.NEGATIVE_INFINITY, y2: Number.NEGATIVE_INFINITY };
  for (let i = 0; i < path.length; ) {
    const end = i + 1 + (POINTS[path[i] ?? -1] ?? 0);
    for (i++; i < end; i += 2) {
      const [x, y] = [path[i] ?? 0, path[i + 1] ?? 0];
      box.x1 = Math.min(box.x1, x);
      box.x2 = Math.max(box.x2, x);
      box.y1 = Math.min(box.y1, y);
      box.y2 = Math.max(box.y2, y);
    }
  }
  return box;
}

/** Straight segments of a path; what is closed gets its last side. */
function segmentsOf(path: ArrayLike<number>): Segment[] {
  const segments: Segment[] = [];
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
