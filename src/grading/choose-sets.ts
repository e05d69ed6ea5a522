import { existsSync } from "node:fs";
import { join } from "node:path";
import { type DomainPack, loadDomain } from "../engine/domain.ts";
import { RequestError, SourceboundError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { findGoldenSets, type GoldenFolders, type GoldenSet, readGoldenSet, readQuestions } from "./golden-set.ts";

/** Folders of a golden set. `domain` is the domain pack whose vocabulary is used; `undefined`: none. */
export interface ChosenFolders extends GoldenFolders {
  readonly domain: string | undefined;
}

/** Bundled domain packs that were written for the documents of a golden set, by name of the set. */
const PACKS: Readonly<Record<string, string>> = { va: "veterans" };

/**
 * Selects golden sets of a folder: all of them, or those named. A set in `PACKS` gets the name of its pack. Both names
 * select it.
 * @param names comma-separated
 * @throws RequestError `golden_missing`, `unknown_set`
 */
export function chooseGoldenSets(data: string, names: string | undefined): ChosenFolders[] {
  const sets = findGoldenSets(data).map((folders) => ({ ...folders, domain: PACKS[folders.name] }));
  const called = sets.map((one) => ({ ...one, name: one.domain ?? one.name, given: one.name }));
  if (names === undefined) return called;
  const known = called.map(({ name }) => name);
  return names.split(",").map((setName) => {
    const found = called.find(({ name, given }) => name === setName || given === setName);
    if (found !== undefined) return found;
    throw new RequestError("unknown_set", `Unknown set "${setName}". Use one of ${known.join(", ")}.${didYouMean(setName, known)}`);
  });
}

/** `data` is a folder with several sets, and `domains` has names of sets in it, comma-separated. */
export interface SetChoice
  extends Readonly<Partial<Record<"corpus" | "golden" | "data" | "domains" | "domain" | "tenant", string | undefined>>> {
  /** Maximum number of questions per set, selected at equal steps. @default all */
  readonly limit?: number | undefined;
}

/** A golden set, with the domain pack whose vocabulary is used (`undefined`: none). */
export interface ChosenSet {
  readonly set: GoldenSet;
  readonly domain: string | undefined;
}

/**
 * Loads the chosen golden sets. These are: questions about a folder of documents (`corpus`), questions about a pack's
 * documents, a pack's own golden set, or the sets of a folder (`data`). Keeps only the questions of the tenant, and at
 * most `limit` of each set.
 * @param domainsDir folder with the domain packs of the installation
 * @throws RequestError `config_invalid`, `golden_missing`, `unknown_tenant`
 */
export function chooseSets(choice: SetChoice, domainsDir: string | undefined): ChosenSet[] {
  return setsOf(choice, domainsDir).map((one) => ({ ...one, set: someOf(askedBy(one.set, choice.tenant), choice.limit) }));
}

/** Selects questions at equal steps, so that every kind of question keeps about its share. */
function someOf(set: GoldenSet, limit: number | undefined): GoldenSet {
  const total = set.answerable.length + set.unanswerable.length;
  if (limit === undefined || total <= limit) return set;
  const taken = new Set(Array.from({ length: limit }, (_, i) => Math.floor((i * total) / limit)));
  return {
    ...set,
    answerable: set.answerable.filter((_, i) => taken.has(i)),
    unanswerable: set.unanswerable.filter((_, i) => taken.has(set.answerable.length + i)),
  };
}

function setsOf({ corpus, golden, data, domains, domain }: SetChoice, domainsDir: string | undefined): ChosenSet[] {
  if (corpus !== undefined) {
    if (golden === undefined)
      throw new RequestError("config_invalid", "No questions were given. Give a folder or file of questions with --golden.");
    return [{ set: readGoldenSet({ name: domain ?? "golden", corpus, golden }), domain }];
  }
  if (domain !== undefined && (data === undefined || golden !== undefined)) return [{ set: packSet(domain, golden, domainsDir), domain }];
  if (data === undefined || golden !== undefined)
    throw new RequestError(
      "config_invalid",
      "No questions were given. Use one of: --golden FILE with --corpus or --domain; --domain alone (the pack's own golden set); --data FOLDER or SOURCEBOUND_DATA (a folder of sets).",
    );
  return chooseGoldenSets(data, domains).map((folders) => ({ set: readGoldenSet(folders), domain: domain ?? folders.domain }));
}

/** Returns whether a domain pack has golden questions. Returns `false` for a missing or invalid pack. */
export function bringsGolden(name: string, domainsDir: string | undefined): boolean {
  try {
    return ownGolden(loadDomain(name, domainsDir)) !== null;
  } catch (error) {
    // The pack is missing or invalid. An evaluation run reports this error.
    if (error instanceof SourceboundError) return false;
    throw error;
  }
}

/** Returns the path of a pack's golden questions; `null` if it has none. */
function ownGolden({ folder, golden }: Pick<DomainPack, "folder" | "golden">): string | null {
  const own = golden === null ? null : join(folder, golden);
  return own !== null && existsSync(own) ? own : null;
}

function packSet(name: string, golden: string | undefined, domainsDir: string | undefined): GoldenSet {
  const pack = loadDomain(name, domainsDir);
  const own = ownGolden(pack);
  if (golden === undefined && own === null)
    throw new RequestError(
      "golden_missing",
      `The pack "${name}" has no golden set of questions with known answers. Write one and set \`golden\` in the domain.yaml to its path, or give a file with \`sourcebound eval golden --golden FILE\`.`,
      { domain: name },
    );
  const documents = join(pack.folder, pack.documents.path);
  const questions = readQuestions(golden ?? own ?? "");
  const tenants = Object.entries(pack.tenants).flatMap(([tenant, { documents: folder }]) =>
    folder === null ? [] : [[tenant, join(pack.folder, folder)] as const],
  );
  return { name, corpus: pack.folder, documents, tenants: Object.fromEntries(tenants), ...questions };
}

/** Returns the questions of a tenant. @throws RequestError `unknown_tenant` if the set has no question of the tenant */
function askedBy(set: GoldenSet, tenant: string | undefined): GoldenSet {
  if (tenant === undefined) return set;
  const all = [...set.answerable, ...set.unanswerable];
  const askers = [...new Set(all.flatMap((one) => one.tenant ?? []))].sort();
  // If no question names a tenant, the given tenant asks all of them.
  if (askers.length === 0 && set.tenants[tenant] !== undefined) return { ...set, ...mapQuestions(set, (one) => [{ ...one, tenant }]) };
  if (!askers.includes(tenant)) {
    const advice =
      askers.length === 0 ? "Its questions name no tenant, so omit --tenant" : `Use ${askers.join(" or ")}, or omit the tenant`;
    throw new RequestError("unknown_tenant", `The set "${set.name}" has no question of tenant "${tenant}". ${advice}.`, { tenant });
  }
  return { ...set, ...mapQuestions(set, (one) => (one.tenant === tenant ? [one] : [])) };
}

function mapQuestions(
  { answerable, unanswerable }: GoldenSet,
  map: <T extends { readonly tenant: string | null }>(one: T) => T[],
): Pick<GoldenSet, "answerable" | "unanswerable"> {
  return { answerable: answerable.flatMap((one) => map(one)), unanswerable: unanswerable.flatMap((one) => map(one)) };
}
