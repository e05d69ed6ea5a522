import { chooseGoldenSets, chooseSets } from "../../../src/grading/choose-sets.ts";
import { type GoldenSet, readGoldenSet } from "../../../src/grading/golden-set.ts";

/** A set with the pack whose vocabulary applies to it. */
export interface PlannedSet {
  readonly set: GoldenSet;
  readonly domain: string | undefined;
  /** Questions whose answers nobody marked: only answered or refused is counted. */
  readonly plain: readonly string[];
}

/** Documents of the kind that a profile's source was made for: folders of sets by name, packs by theirs. */
const KINDS: Readonly<Record<string, { readonly sets: readonly string[]; readonly packs: readonly string[] }>> = {
  sourcebound: { sets: ["veterans"], packs: [] },
  "seven-layer": { sets: ["veterans"], packs: [] },
  spark: { sets: ["veterans"], packs: [] },
  "vg-rag": { sets: ["tau-policies-kb", "fda-drug-labels", "va-38cfr-part4", "medquad"], packs: [] },
  validator: { sets: [], packs: ["retail", "pharma"] },
  book: { sets: ["book"], packs: [] },
};

/** What is asked of a profile; `only`: these sets in the place of those of its kind. */
export function planFor(profile: string, data: string, only: string | undefined, domainsDir: string | undefined): PlannedSet[] {
  const { sets, packs } = KINDS[profile] ?? { sets: [], packs: [] };
  const names = only ?? sets.join(",");
  const ofData =
    names === "" ? [] : chooseGoldenSets(data, names).map((folders) => ({ set: readGoldenSet(folders), domain: folders.domain }));
  const ofPacks = only === undefined ? packs.flatMap((name) => chooseSets({ domain: name }, domainsDir)) : [];
  return [...ofData, ...ofPacks].map((one) =>
    profile === "book" && one.set.name === "book"
      ? {
          ...one,
          set: chooseSets({ domain: "book" }, domainsDir).reduce((set, pack) => withPack(set, pack.set), one.set),
          plain: [...PLAIN, ...PLAIN_WHAT],
        }
      : { ...one, plain: [] },
  );
}

/** The questions of the pack about the same novel beside those of the set: their quotes stand in its one page too. */
function withPack(set: GoldenSet, pack: GoldenSet): GoldenSet {
  const [page] = set.answerable.flatMap(({ gold_pages }) => gold_pages);
  const moved = pack.answerable.map((one) => ({ ...one, gold_pages: page === undefined ? one.gold_pages : [page] }));
  return { ...set, answerable: [...set.answerable, ...moved], unanswerable: [...set.unanswerable, ...pack.unanswerable] };
}

/** Plain questions about the novel of the set `book`, by somebody who has just met a name in it; each is answered in the text. */
const PLAIN: readonly string[] = [
  ...["Queequeg", "Captain Ahab", "Starbuck", "Stubb", "Flask", "Tashtego", "Daggoo", "Pip", "Fedallah", "Captain Peleg", "Captain Bildad"],
  ...["Father Mapple", "Elijah", "Gabriel", "Captain Boomer", "Bulkington", "Peter Coffin", "Mrs. Hussey", "Perth", "Dough-Boy", "Fleece"],
  ...["Radney", "Steelkilt", "Captain Gardiner", "Charity", "Yojo", "Moby Dick"],
].map((name) => `Who is ${name}?`);
const PLAIN_WHAT: readonly string[] = [
  ...[
    "ambergris",
    "a gam",
    "a harpooneer",
    "the doubloon",
    "spermaceti",
    "the Pequod",
    "the try-works",
    "the crow's-nest",
    "a lay",
    "the lee shore",
  ],
  ...["the monkey-rope", "the Spouter-Inn", "the Rachel"],
].map((thing) => `What is ${thing}?`);
