import type { Block, SourceMapData } from "../../types.ts";
import type { WrittenBlocks } from "../block-writer.ts";

/** A piece that was written on its own, and where its source begins in the whole. */
export interface JoinedPart {
  readonly written: WrittenBlocks;
  readonly sourceStart: number;
}

/** Pieces one after the other, separated by an empty line, as if they had been written together. `starts`: where each begins in the text. */
export function joinWritten(parts: readonly JoinedPart[]): WrittenBlocks & { readonly starts: readonly number[] } {
  const texts: string[] = [];
  const blocks: Block[] = [];
  const sourceMap: number[] = [];
  const starts: number[] = [];
  let length = 0;
  for (const { written, sourceStart } of parts) {
    if (length > 0 && written.text !== "") {
      texts.push("\n\n");
      length += 2;
    }
    starts.push(length);
    const first = blocks.length;
    for (const block of written.blocks) {
      const { header } = block;
      blocks.push({ ...shiftedBy(block, length), header: header < 0 ? header : header + first });
    }
    appendMap(sourceMap, written.sourceMap, length, sourceStart);
    texts.push(written.text);
    length += written.text.length;
  }
  return { text: texts.join(""), blocks, sourceMap, starts };
}

/** A block whose text stands `by` characters later. */
export function shiftedBy<T extends Block>(block: T, by: number): T {
  const { start, end, runIn, sectionEnd } = block;
  return {
    ...{ ...block, start: start + by, end: end + by },
    ...(runIn === undefined ? {} : { runIn: runIn + by }),
    ...(sectionEnd === undefined ? {} : { sectionEnd: sectionEnd + by }),
  };
}

function appendMap(target: number[], map: SourceMapData, textStart: number, sourceStart: number): void {
  for (let i = 0; i < map.length; i += 4) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = map.slice(i, i + 4);
    target.push(outStart + textStart, outEnd + textStart, start + sourceStart, end + sourceStart);
  }
}
