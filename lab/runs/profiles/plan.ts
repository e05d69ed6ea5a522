import { chooseGoldenSets, chooseSets } from "../../../src/grading/choose-sets.ts";
import { type GoldenSet, readGoldenSet } from "../../../src/grading/golden-set.ts";

/** A set with the domain pack that applies to it. */
export interface PlannedSet {
  readonly set: GoldenSet;
  readonly domain: string | undefined;
  /** Questions without gold answers, for which only answered or refused is counted. */
  readonly plain: readonly string[];
}

/** Documents of the kind a profile's source was made for: names of sets and of packs. */
const KINDS: Readonly<Record<string, { readonly sets: readonly string[]; readonly packs: readonly string[] }>> = {
  sourcebound: { sets: ["veterans"], packs: [] },
  "seven-layer": { sets: ["veterans"], packs: [] },
  spark: { sets: ["veterans"], packs: [] },
  "vg-rag": { sets: ["tau-policies-kb", "fda-drug-labels", "va-38cfr-part4", "medquad"], packs: [] },
  validator: { sets: [], packs: ["retail", "pharma"] },
  book: { sets: ["book"], packs: [] },
};

/** Returns the sets of a profile. @param only names of sets that replace them */
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

/** Adds the pack's questions about the same novel to those of the set; their quotes occur in its one page too. */
function withPack(set: GoldenSet, pack: GoldenSet): GoldenSet {
  const [page] = set.answerable.flatMap(({ gold_pages }) => gold_pages);
  const moved = pack.answerable.map((one) => ({ ...one, gold_pages: page === undefined ? one.gold_pages : [page] }));
  return { ...set, answerable: [...set.answerable, ...moved], unanswerable: [...set.unanswerable, ...pack.unanswerable] };
}

/** Simple questions about the novel of the set `book`, from a person who has just read a name; the text answers each. */
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
