import type { Block, Heading, StoredDocument } from "../shared/types.ts";

/** The headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** Headings above an offset, outermost first, with one that begins there. */
export function headingPathAt({ text, blocks }: Pick<StoredDocument, "text" | "blocks">, offset: number): string[] {
  const walk = walkHeadings<Block>();
  for (const block of blocks) {
    if (block.start > offset) break;
    if (block.type === "heading") walk.enter(block);
  }
  return walk.at(offset).map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_HEADING)));
}

/** Longer headings are cut in a path, in characters: nobody asks for a longer one by name. */
export const MAX_HEADING = 300;

interface Levelled {
  readonly level: number;
  readonly start: number;
  readonly sectionEnd?: number;
}

/** The path after one more heading: what it opens ends every section of its level and below. */
function enterHeading<T extends Levelled>(path: readonly T[], heading: T): T[] {
  const outer = path.findIndex(({ level }) => level >= heading.level);
  return [...(outer < 0 ? path : path.slice(0, outer)), heading];
}

/** Walks down a document: the path after each heading that is entered, and at offsets. Both ascend. */
export interface HeadingWalk<T> {
  enter(heading: T): readonly T[];
  /** The same array as before where nothing changed. */
  at(offset: number): readonly T[];
}

/** @param path headings above the place where the walk begins, outermost first */
export function walkHeadings<T extends Levelled>(path: readonly T[] = []): HeadingWalk<T> {
  /** Paths that hold again where what is open ends. */
  const outer: { readonly end: number; readonly path: readonly T[] }[] = [];
  let current: readonly T[] = [];
  const at = (offset: number): readonly T[] => {
    for (let last = outer.at(-1); last !== undefined && last.end <= offset; last = outer.at(-1)) {
      current = last.path;
      outer.pop();
    }
    return current;
  };
  const enter = (heading: T): readonly T[] => {
    at(heading.start);
    const { sectionEnd } = heading;
    if (sectionEnd !== undefined && outer.at(-1)?.end !== sectionEnd) outer.push({ end: sectionEnd, path: current });
    current = enterHeading(current, heading);
    return current;
  };
  for (const heading of path) enter(heading);
  return { enter, at };
}

/** The headings under which a block stands, outermost first, itself included if it is one. Looks back as far as it must. */
export function headingsAbove<T extends Levelled & { readonly type: string }>(blocks: readonly T[], index: number): T[] {
  const path: T[] = [];
  const at = blocks[index]?.start ?? 0;
  for (let i = index; i >= 0 && (path[0]?.level ?? Number.POSITIVE_INFINITY) > 1; i--) {
    const block = blocks[i] as T;
    const isOpen = block.type === "heading" && (block.sectionEnd ?? Number.POSITIVE_INFINITY) > at;
    if (isOpen && block.level < (path[0]?.level ?? Number.POSITIVE_INFINITY)) path.unshift(block);
  }
  return path;
}
