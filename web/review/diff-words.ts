export interface Change {
  readonly type: "same" | "added" | "removed";
  readonly text: string;
}

/** Words that are compared one by one; longer texts are shown as replaced. */
const MOST_WORDS = 2_000;

/** What changes from one text to another, word by word: the longest common subsequence of words and the spaces between them. */
export function diffWords(before: string, after: string): Change[] {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  if (from.length > MOST_WORDS || to.length > MOST_WORDS) {
    return joined([
      { type: "removed", text: before },
      { type: "added", text: after },
    ]);
  }
  const common = lengths(from, to);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      changes.push({ type: "same", text: from[i] ?? "" });
      i++;
      j++;
    } else if (j >= to.length || (i < from.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      changes.push({ type: "removed", text: from[i] ?? "" });
      i++;
    } else {
      changes.push({ type: "added", text: to[j] ?? "" });
      j++;
    }
  }
  return joined(changes);
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

/** Length of the longest common subsequence of what follows `i` in the one and `j` in the other. */
function lengths(from: readonly string[], to: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const [row, next] = [table[i] as Uint16Array, table[i + 1] as Uint16Array];
      row[j] = from[i] === to[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function joined(changes: readonly Change[]): Change[] {
  const runs: Change[] = [];
  for (const change of changes) {
    const last = runs.at(-1);
    if (change.text === "") continue;
    if (last?.type === change.type) runs[runs.length - 1] = { type: last.type, text: last.text + change.text };
    else runs.push(change);
  }
  return runs;
}
