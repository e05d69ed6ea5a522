import { RequestError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import { findGoldenSets, type GoldenFolders } from "./golden-set.ts";

/** Folders of a set with the pack whose vocabulary applies to it; `undefined`: none. */
export interface ChosenFolders extends GoldenFolders {
  readonly domain: string | undefined;
}

/** Sets that a shipped pack was made for. */
const PACKS: Readonly<Record<string, string>> = { va: "veterans" };

/**
 * The sets of a folder of sets, all of them or those named; a set that a pack was made for goes by the pack's name too.
 * @param names comma-separated
 * @throws RequestError `golden_missing`, `unknown_set`
 */
export function chooseGoldenSets(data: string, names: string | undefined): ChosenFolders[] {
  const sets = findGoldenSets(data).map((folders) => ({ ...folders, domain: PACKS[folders.name] }));
  const called = sets.map((one) => ({ ...one, name: one.domain ?? one.name, given: one.name }));
  if (names === undefined) return called;
  const known = called.map(({ name }) => name);
  return names.split(",").map((wanted) => {
    const found = called.find(({ name, given }) => name === wanted || given === wanted);
    if (found !== undefined) return found;
    throw new RequestError("unknown_set", `There is no set "${wanted}": use some of ${known.join(", ")}.${didYouMean(wanted, known)}`);
  });
}
