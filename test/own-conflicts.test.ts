import { expect, it } from "vitest";
import { collect, openLibrary } from "./support/engine.ts";
import { ownConflicts } from "./support/own-conflicts.ts";

/** Contradictions of a field that are not found at most: "free" beside an amount, "all" beside "only", "noon" beside an hour. */
const MISSED_AT_MOST = 2;

it.each(Object.entries(ownConflicts))("%s: what contradicts is found, and nothing else", async (_field, { real, alike }) => {
  const pages = [...real, ...alike].flatMap(({ title, one, other }, i) => [
    [`${i}-handbook.md`, `# ${title}\n\n${one} Ask the staff about anything else.\n`],
    [`${i}-leaflet.md`, `# ${title}\n\nThis leaflet was printed for guests. ${other}\n`],
  ]);
  const library = await openLibrary({ documents: Object.fromEntries(pages) });
  try {
    const found = (await collect(library.engine.conflicts())).flatMap((event) =>
      event.type === "conflicts" ? event.conflicts.flatMap(({ sides }) => sides.map(({ title }) => title)) : [],
    );
    expect(alike.filter(({ title }) => found.includes(title))).toEqual([]);
    expect(real.filter(({ title }) => !found.includes(title)).length).toBeLessThanOrEqual(MISSED_AT_MOST);
  } finally {
    await library.close();
  }
});
