/** Placeholder for a deleted character, so that offsets stay valid until all are removed. */
const CUT = "\uE000";

/** Removes the spaces of a tokeniser and returns a mapping of offsets. */
export function deleteSpaces(text: string): { readonly text: string; readonly map: (offset: number) => number } {
  const quoted = text
    .replaceAll("`` ", `"${CUT}${CUT}`)
    .replaceAll(" ''", `${CUT}${CUT}"`)
    .replaceAll("``", `"${CUT}`)
    .replaceAll("''", `${CUT}"`);
  const cuts: number[] = [];
  for (const match of quoted.matchAll(/\uE000| (?=[,.;:!?%)\]}]|['’](?:s|m|d|re|ve|ll|t)\b|n['’]t\b)|(?<=[([{$]) /g))
    cuts.push(match.index);
  let written = "";
  let from = 0;
  for (const cut of cuts) {
    written += quoted.slice(from, cut);
    from = cut + 1;
  }
  const before = (offset: number) => {
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cuts[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { text: written + quoted.slice(from), map: (offset) => offset - before(offset) };
}
