/** Words behind each word that gives them their place: from → spain. */
export type Places = Readonly<Record<string, readonly string[]>>;

/** Words that say where something comes from and goes, in the frame's spelling. */
const MARKERS: ReadonlySet<string> = new Set(["from", "to"]);
/** They lead where "to" leads. */
const TOWARDS: ReadonlySet<string> = new Set(["into", "onto"]);
/** An argument ends here. */
const ENDS: ReadonlySet<string> = new Set(["and", "or", "but", "if", "when", "while", "with", "for", "in", "on", "at", "becaus"]);

/**
 * @param frame every word in order, in one spelling
 * @param isEmpty says nothing of which argument it is: articles, the speaker, auxiliaries
 */
export function readPlaces(frame: readonly string[], isEmpty: (word: string) => boolean): Places {
  const places: Record<string, string[]> = {};
  let open: string[] | null = null;
  for (const word of frame) {
    const marker = TOWARDS.has(word) ? "to" : word;
    if (MARKERS.has(marker)) {
      open = places[marker] ?? [];
      places[marker] = open;
    } else if (ENDS.has(word)) open = null;
    else if (!isEmpty(word)) open?.push(word);
  }
  return places;
}

/**
 * Have arguments changed places? Something comes from where it goes in the other question, in whatever words the rest is said: "send money to my account
 * from Spain", "from my account to Spain".
 */
export function changesPlace(one: Places, other: Places): boolean {
  const moved = (from: string, to: string) =>
    (one[from] ?? []).some((word) => stands(other, to, word) && !stands(other, from, word) && !stands(one, to, word));
  return moved("from", "to") || moved("to", "from");
}

function stands(places: Places, marker: string, word: string): boolean {
  return places[marker]?.includes(word) ?? false;
}
