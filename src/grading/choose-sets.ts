import { existsSync } from "node:fs";
import { join } from "node:path";
import { type DomainPack, loadDomain } from "../engine/domain.ts";
import { RequestError, SourceboundError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { findGoldenSets, type GoldenFolders, type GoldenSet, readGoldenSet, readQuestions } from "./golden-set.ts";

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

/** Which questions are asked of which documents. */
export interface SetChoice {
  readonly corpus?: string | undefined;
  readonly golden?: string | undefined;
  /** Folder of sets. */
  readonly data?: string | undefined;
  /** Sets of it, comma-separated. */
  readonly domains?: string | undefined;
  readonly domain?: string | undefined;
  readonly tenant?: string | undefined;
  /** At most so many questions of each set, spread evenly over it. @default all */
  readonly limit?: number | undefined;
}

/** A set with the pack whose vocabulary applies to it. */
export interface ChosenSet {
  readonly set: GoldenSet;
  readonly domain: string | undefined;
}

/**
 * A set over a folder, questions over a pack's documents, a pack's own set, or every set of a folder of sets; of each the questions that the tenant asks, and of these
 * at most `limit`.
 * @param domainsDir packs of one's own
 * @throws RequestError `config_invalid`, `golden_missing`, `unknown_tenant`
 */
export function chooseSets(choice: SetChoice, domainsDir: string | undefined): ChosenSet[] {
  return setsOf(choice, domainsDir).map((one) => ({ ...one, set: someOf(askedBy(one.set, choice.tenant), choice.limit) }));
}

/** The questions of a set at equal steps, from the first on, so that every part and both kinds keep their share. */
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
      throw new RequestError("config_invalid", "Documents alone ask nothing: give their questions with --golden, a folder or a file.");
    return [{ set: readGoldenSet({ name: domain ?? "golden", corpus, golden }), domain }];
  }
  if (domain !== undefined && (data === undefined || golden !== undefined)) return [{ set: packSet(domain, golden, domainsDir), domain }];
  if (data === undefined || golden !== undefined)
    throw new RequestError(
      "config_invalid",
      "There is nothing to ask: give --golden with --corpus or --domain, or --domain alone, or a folder of sets with --data or SOURCEBOUND_DATA.",
    );
  return chooseGoldenSets(data, domains).map((folders) => ({ set: readGoldenSet(folders), domain: domain ?? folders.domain }));
}

/** Whether a run over the pack's own questions would find any: read anew, as a run reads it. */
export function bringsGolden(name: string, domainsDir: string | undefined): boolean {
  try {
    return ownGolden(loadDomain(name, domainsDir)) !== null;
  } catch (error) {
    // A pack with faults, or one that lies in no folder: a run would say so.
    if (error instanceof SourceboundError) return false;
    throw error;
  }
}

/** Folder or file of the questions that a pack brings; `null`: it brings none. */
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
      `The pack "${name}" brings no golden set of questions with known answers: write one and name it as "golden" in its domain.yaml, or give a file with \`sourcebound eval golden --golden FILE\`.`,
      { domain: name },
    );
  const documents = join(pack.folder, pack.documents.path);
  const questions = readQuestions(golden ?? own ?? "");
  const tenants = Object.entries(pack.tenants).flatMap(([tenant, { documents: folder }]) =>
    folder === null ? [] : [[tenant, join(pack.folder, folder)] as const],
  );
  return { name, corpus: pack.folder, documents, tenants: Object.fromEntries(tenants), ...questions };
}

/** @throws RequestError `unknown_tenant` where no question is that tenant's */
function askedBy(set: GoldenSet, tenant: string | undefined): GoldenSet {
  if (tenant === undefined) return set;
  const all = [...set.answerable, ...set.unanswerable];
  const askers = [...new Set(all.flatMap((one) => one.tenant ?? []))].sort();
  // An imported file knows no tenants: all of it is asked as the one that was named.
  if (askers.length === 0 && set.tenants[tenant] !== undefined) return { ...set, ...mapQuestions(set, (one) => [{ ...one, tenant }]) };
  if (!askers.includes(tenant)) {
    const known = askers.length === 0 ? "no question names one" : `questions are asked by ${askers.join(", ")}`;
    throw new RequestError("unknown_tenant", `No question of the set "${set.name}" is asked by "${tenant}": ${known}.`, { tenant });
  }
  return { ...set, ...mapQuestions(set, (one) => (one.tenant === tenant ? [one] : [])) };
}

function mapQuestions(
  { answerable, unanswerable }: GoldenSet,
  map: <T extends { readonly tenant: string | null }>(one: T) => T[],
): Pick<GoldenSet, "answerable" | "unanswerable"> {
  return { answerable: answerable.flatMap((one) => map(one)), unanswerable: unanswerable.flatMap((one) => map(one)) };
}
