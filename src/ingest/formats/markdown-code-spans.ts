/** Finds the end of the code span that a run of backticks opens, or of the run itself if nothing closes it in its paragraph. */
export function codeSpanFinder(source: string): (at: number) => { readonly end: number } {
  const blankLine = /\n[ \t\r]*\n/g;
  let paragraphEnd = -1;
  const closers = new Map<number, number[]>();
  return (at) => {
    if (at >= paragraphEnd) {
      blankLine.lastIndex = at;
      const paragraph = blankLine.exec(source)?.index ?? source.length;
      paragraphEnd = Math.max(paragraph, at + 1);
      closers.clear();
      const runs = /`+/g;
      const text = source.slice(at, paragraphEnd);
      for (const run of text.matchAll(runs)) {
        const found = closers.get(run[0].length);
        if (found === undefined) closers.set(run[0].length, [at + run.index]);
        else found.push(at + run.index);
      }
      for (const found of closers.values()) found.reverse();
    }
    let length = 1;
    while (source[at + length] === "`") length++;
    const candidates = closers.get(length) ?? [];
    while ((candidates.at(-1) ?? Number.POSITIVE_INFINITY) <= at) candidates.pop();
    const close = candidates.at(-1);
    return { end: close === undefined ? at + length : close + length };
  };
}
