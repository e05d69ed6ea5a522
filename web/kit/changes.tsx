import { diffLines, diffWordsWithSpace } from "diff";

export interface Change {
  /** Number of characters before this change in the joined texts of all changes. It identifies the change. */
  readonly at: number;
  readonly type: "same" | "added" | "removed";
  readonly text: string;
}

/** Time limit of the comparison in milliseconds. After it, the whole text is shown as replaced. */
const MOST_MS = 1_000;

/** Compares two texts word by word or line by line. */
export function changesOf(before: string, after: string, unit: "words" | "lines"): Change[] {
  const options = { timeout: MOST_MS };
  const found = unit === "words" ? diffWordsWithSpace(before, after, options) : diffLines(before, after, options);
  const parts = found ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  let at = 0;
  return parts.flatMap(({ value, added, removed }) => {
    const change: Change = { at, type: added ? "added" : removed ? "removed" : "same", text: value };
    at += value.length;
    return value === "" ? [] : [change];
  });
}

/** Number of unchanged lines that are shown before and after a change. */
const AROUND = 2;

/** Shortens unchanged text to the lines next to a change. A change with empty `text` stands for the text that is left out. */
export function shortened(changes: readonly Change[]): Change[] {
  return changes.flatMap((change, i) => {
    const lines = change.text.split("\n");
    if (change.type !== "same" || lines.length <= 2 * AROUND + 2) return [change];
    const head = i === 0 ? "" : `${lines.slice(0, AROUND).join("\n")}\n`;
    const tail = i === changes.length - 1 ? "" : lines.slice(-AROUND - 1).join("\n");
    return [
      { ...change, text: head },
      { ...change, at: change.at + head.length, text: "" },
      { ...change, at: change.at + change.text.length - tail.length, text: tail },
    ].filter(({ text }, part) => text !== "" || part === 1);
  });
}

/** Shows changes in order. An ellipsis stands for text that is left out. */
export function TextDiff({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <p className="diff">
      {changes.map(({ at, type, text }) => {
        if (text === "")
          return (
            <span key={`${at} out`} className="muted">
              {"⋯\n"}
            </span>
          );
        if (type === "same") return <span key={at}>{text}</span>;
        return type === "added" ? <ins key={at}>{text}</ins> : <del key={at}>{text}</del>;
      })}
    </p>
  );
}
