import type { LineNote, LineNotes, MarkupLine } from "./line-markup.ts";

/** A footnote or a citation from its label on: a number, `#` with or without a name, `*`, or a name. */
const NOTE = /^\.\.[ \t]+\[(\d+|#[\w.:+-]*|\*|[A-Za-z][\w.:+-]*)\](?:[ \t]+|$)/;
/** What calls one, or code within a line, which calls nothing. The blank that the grammar asks for behind the end of a sentence is none that readers see. */
const CALL = /``[^`]*``|(?:(?<=[.!?]["')”’]?)[ \t]+)?\[(\d+|#[\w.:+-]*|\*|[A-Za-z][\w.:+-]*)\]_(?![\w_])/g;
const SYMBOLS = ["*", "†", "‡", "§", "¶"];

/** The footnotes and citations of reStructuredText, and what calls them. Those without a name are called in their order. */
export function findRstNotes(lines: readonly MarkupLine[]): LineNotes {
  const taken = new Set(lines.flatMap(({ text }) => NOTE.exec(text)?.[1] ?? []));
  const count = { "#": 0, "*": 0 };
  let number = 0;
  const notes = new Map<string, LineNote>();
  const noteLines = new Set<MarkupLine>();
  for (const [i, line] of lines.entries()) {
    const [lead, label] = NOTE.exec(line.text) ?? [];
    if (lead === undefined || label === undefined) continue;
    let end = i + 1;
    while (end < lines.length && (lines[end]?.text === "" || (lines[end]?.indent ?? 0) > line.indent)) end++;
    while (lines[end - 1]?.text === "") end--;
    const first = { ...line, start: line.start + lead.length, text: line.text.slice(lead.length) };
    if (label === "#") {
      do number++;
      while (taken.has(String(number)));
    }
    const shown = label === "#" ? String(number) : label === "*" ? (SYMBOLS[count["*"] % SYMBOLS.length] ?? "*") : label.replace(/^#/, "");
    const key = label === "#" || label === "*" ? `${label}${++count[label]}` : label.toLowerCase();
    const own = lines.slice(i, end);
    for (const one of own) noteLines.add(one);
    const sign = { start: line.start + lead.indexOf("["), end: line.start + lead.indexOf("]") + 1 };
    if (!notes.has(key)) notes.set(key, { sign, shown: `[${shown}]`, lines: [first, ...own.slice(1)] });
  }
  const calls = callsOf(lines, notes);
  const called = new Set(calls.flatMap(({ line, note }) => (noteLines.has(line) ? [] : [note])));
  return { notes: [...notes.values()], calls, called };
}

type Call = LineNotes["calls"][number] & { readonly line: MarkupLine };

function callsOf(lines: readonly MarkupLine[], notes: ReadonlyMap<string, LineNote>): Call[] {
  if (notes.size === 0) return [];
  const count = { "#": 0, "*": 0 };
  return lines.flatMap((line) =>
    [...line.text.matchAll(CALL)].flatMap(({ 0: call, 1: label, index }): Call[] => {
      if (label === undefined) return [];
      const note = notes.get(label === "#" || label === "*" ? `${label}${++count[label]}` : label.toLowerCase());
      return note === undefined ? [] : [{ start: line.start + index, end: line.start + index + call.length, note, line }];
    }),
  );
}
