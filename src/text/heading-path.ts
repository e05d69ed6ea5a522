/** Longer headings are cut in a path, in characters: nobody asks for a longer one by name. */
export const MAX_HEADING = 300;

interface Levelled {
  readonly level: number;
}

/** The path after one more heading: what it opens ends every section of its level and below. */
export function enterHeading<T extends Levelled>(path: readonly T[], heading: T): T[] {
  const outer = path.findIndex(({ level }) => level >= heading.level);
  return [...(outer < 0 ? path : path.slice(0, outer)), heading];
}

/** The headings under which a block stands, outermost first, itself included if it is one. Looks back as far as it must. */
export function headingsAbove<T extends Levelled & { readonly type: string }>(blocks: readonly T[], index: number): T[] {
  const path: T[] = [];
  for (let i = index; i >= 0 && (path[0]?.level ?? Number.POSITIVE_INFINITY) > 1; i--) {
    const block = blocks[i] as T;
    if (block.type === "heading" && block.level < (path[0]?.level ?? Number.POSITIVE_INFINITY)) path.unshift(block);
  }
  return path;
}
