/** A line of a paragraph. */
export interface ProseLine {
  /** Where its line break stands. */
  readonly end: number;
  readonly text: string;
}

/** Lines that markdown reads as something else than a paragraph. */
const SYNTAX = /^(?:[#>|<]|[-*+] |\d{1,9}[.)] |={3,}$|-{3,}$|\s{4})/;
const FENCE = /^(?:`{3}|~{3})/;

/** The lines of `source` from `from` on that stand together, without an empty line, code or marks of markdown between them. Linear. */
export function* proseLines(source: string, from = 0): Generator<readonly ProseLine[]> {
  let lines: ProseLine[] = [];
  let fence = "";
  for (let at = from; at < source.length; ) {
    const newline = source.indexOf("\n", at);
    const end = newline < 0 ? source.length : newline;
    const raw = source.slice(at, end);
    const text = raw.trim();
    const mark = FENCE.exec(text)?.[0] ?? "";
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    if (fence !== "" || mark !== "" || text === "" || SYNTAX.test(raw)) {
      if (lines.length > 0) yield lines;
      lines = [];
    } else lines.push({ end, text });
    at = end + 1;
  }
  if (lines.length > 0) yield lines;
}
