import { readFrontMatter, rowBreaks } from "../../src/internals.ts";

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/** Makes line breaks that our Markdown parser keeps into hard breaks, for converters that would join the lines; not in list items. */
export function withHardBreaks(source: string): string {
  const breaks = rowBreaks(source, readFrontMatter(source).bodyStart);
  const lines: string[] = [];
  let at = 0;
  let isItem = false;
  let isBlank = true;
  for (const line of source.split("\n")) {
    if (ITEM.test(line)) isItem = true;
    else if (isBlank && /^\S/.test(line)) isItem = false;
    isBlank = line.trim() === "";
    at += line.length;
    lines.push(breaks.has(at) && !isItem ? `${line.trimEnd()}  ` : line);
    at++;
  }
  return lines.join("\n");
}
