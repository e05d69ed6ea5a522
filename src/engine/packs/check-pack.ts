import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, messageOf, SourceboundError } from "../../errors.ts";
import { profileNamed } from "../../profiles/index.ts";
import { type GateThreshold, gateCalibrationSchema, percent } from "../../verify/calibration.ts";
import { type DomainPack, loadDomain } from "../domain.ts";
import { checkGolden } from "./check-golden.ts";
import { checkTerms, checkWords } from "./check-words.ts";
import { type PackFinding, packFinding } from "./finding.ts";
import { readFeatures, readPackFile } from "./pack-files.ts";
import { type FolderDocument, readFolder } from "./read-documents.ts";

export interface PackReport {
  readonly name: string;
  /** `null`: the pack cannot be read. */
  readonly title: string | null;
  readonly documents: number;
  readonly questions: number;
  readonly findings: readonly PackFinding[];
}

export interface CheckPackOptions {
  readonly domainsDir: string | undefined;
  /** Folder of documents in place of the pack's own, absolute. */
  readonly documents?: string | undefined;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  /** Which threshold holds where a calibration was made here; `null`: none was. Absent: nobody looks. */
  readonly madeHere?: ((pack: DomainPack) => Promise<GateThreshold | null>) | undefined;
  readonly now?: Date;
}

const DAY_MS = 86_400_000;

/**
 * Everything that can be said of a pack without asking it a question.
 * @throws RequestError `unknown_domain`
 */
export async function checkPack(name: string, options: CheckPackOptions): Promise<PackReport> {
  let pack: DomainPack;
  try {
    pack = loadDomain(name, options.domainsDir);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = Array.isArray(error.data.faults) ? error.data.faults.map(String) : [];
    return { name, title: null, documents: 0, questions: 0, findings: [packFinding("fault", "schema", error.message, faults)] };
  }
  const read = await readPack(pack, options);
  const golden = checkGolden(pack, read.visibleTo);
  const findings = [
    ...read.findings,
    ...(read.visibleTo === null ? [] : [...checkTerms(pack, read.visibleTo), ...checkWords(pack, read.documents)]),
    ...checkFeatures(pack),
    ...checkAddresses(pack, read.documents),
    ...golden.findings,
    ...(await checkCalibration(pack, options)),
    ...checkProfile(pack),
    ...(pack.examples.length === 0 ? [packFinding("note", "examples", "no question to try is given")] : []),
  ];
  return { name, title: pack.title, documents: read.documents.length, questions: golden.questions, findings };
}

interface ReadPack {
  readonly documents: readonly FolderDocument[];
  /** Documents that a tenant may read, of nobody under `""`; `null`: the pack brings none. */
  readonly visibleTo: ReadonlyMap<string, readonly FolderDocument[]> | null;
  readonly findings: readonly PackFinding[];
}

async function readPack(pack: DomainPack, options: CheckPackOptions): Promise<ReadPack> {
  const findings: PackFinding[] = [];
  const read = async (folder: string, root: string, tenant: string | null): Promise<FolderDocument[]> => {
    const { documents, failed, skipped } = await readFolder(folder, { root, ...options });
    const foreign = documents.filter((one) => one.tenant !== null && one.tenant !== tenant).map(({ path }) => path);
    const said = (list: readonly { path: string; reason: string }[]) => list.map(({ path, reason }) => `${path}: ${reason}`);
    if (failed.length > 0) findings.push(packFinding("fault", "documents", `${failed.length} files cannot be read`, said(failed)));
    if (skipped.length > 0) findings.push(packFinding("note", "documents", `${skipped.length} files are no documents`, said(skipped)));
    if (foreign.length > 0)
      findings.push(packFinding("fault", "documents", `${foreign.length} documents say that they belong to another tenant`, foreign));
    return documents.filter(({ path }) => !foreign.includes(path)).map((one) => ({ ...one, access: one.access ?? pack.documents.access }));
  };
  const own = join(pack.folder, pack.documents.path);
  const folder = options.documents ?? own;
  if (options.documents === undefined && !existsSync(own)) {
    const message = `the pack brings no documents (there is no ${own}): name your own with --documents to have its words checked`;
    return { documents: [], visibleTo: null, findings: [packFinding("warning", "documents", message)] };
  }
  const shared = await read(folder, options.documents ?? pack.folder, null);
  const visibleTo = new Map<string, readonly FolderDocument[]>([["", shared]]);
  const documents = [...shared];
  for (const [name, tenant] of Object.entries(pack.tenants)) {
    const path = tenant.documents === null ? null : join(pack.folder, tenant.documents);
    if (path !== null && !existsSync(path)) findings.push(packFinding("fault", "tenants", `${name}: there is no folder ${path}`));
    const theirs = path !== null && existsSync(path) ? await read(path, pack.folder, name) : [];
    const visible = [...shared, ...theirs].filter(({ access }) => access !== null && tenant.access.includes(access));
    if (visible.length === 0)
      findings.push(
        packFinding("fault", "tenants", `${name} may read none of the documents: see \`access\` and \`documents\` of the tenant`),
      );
    visibleTo.set(name, visible);
    documents.push(...theirs);
  }
  if (documents.length === 0) findings.push(packFinding("fault", "documents", `${folder} holds no document`));
  return { documents, visibleTo, findings };
}

function checkFeatures({ features: file, folder, tenants }: DomainPack): PackFinding[] {
  if (file === null) return [];
  try {
    const features = readFeatures(join(folder, file));
    const known = new Set(Object.values(tenants).flatMap(({ terms }) => Object.keys(terms)));
    const told = new Set(features.map(({ term }) => term));
    const unknown = features.filter(({ term }) => !known.has(term)).map(({ id, term }) => `${id}: ${term}`);
    const untold = [...known].filter((term) => !told.has(term));
    return [
      ...(unknown.length === 0 ? [] : [packFinding("fault", "features", `${unknown.length} features are of no canonical term`, unknown)]),
      ...(untold.length === 0 ? [] : [packFinding("warning", "features", `${untold.length} canonical terms have no feature`, untold)]),
    ];
  } catch (error) {
    return [faultOf("features", error)];
  }
}

/** A pack that lists no host is served on the one of its own address. */
function checkAddresses(pack: DomainPack, documents: readonly FolderDocument[]): PackFinding[] {
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");
  const hosts = pack.hosts.length > 0 || pack.base_url === null ? pack.hosts : [hostOf(pack.base_url)];
  const isListed = (url: string) => {
    const host = hostOf(url);
    return hosts.some((one) => one !== "" && (host === one.toLowerCase() || host.endsWith(`.${one.toLowerCase()}`)));
  };
  const named = Object.entries({ base_url: pack.base_url, home_page: pack.home_page }).flatMap(([key, url]) =>
    url === null || isListed(url) ? [] : [`${key}: ${url}`],
  );
  const away = documents.flatMap(({ path, metadata: { url } }) => (url === null || isListed(url) ? [] : [`${path}: ${url}`]));
  return [
    ...(named.length === 0 ? [] : [packFinding("fault", "addresses", "addresses of the pack are on none of its `hosts`", named)]),
    ...(away.length === 0
      ? []
      : [packFinding("warning", "addresses", `${away.length} documents have an address on none of the pack's \`hosts\``, away)]),
  ];
}

/** One that was made here holds before the pack's own. */
async function checkCalibration(pack: DomainPack, { madeHere, now = new Date() }: CheckPackOptions): Promise<PackFinding[]> {
  const { calibration, folder, name } = pack;
  let made: GateThreshold | null;
  try {
    made = (await madeHere?.(pack)) ?? null;
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return [packFinding("warning", "calibration", `one was made here, and it cannot be told whether it is used: ${error.message}`)];
  }
  if (made !== null) return describeMade(made, name, now);
  if (calibration === null) {
    const message = `no calibration comes with the pack: answers say that their threshold is not calibrated until \`sourcebound calibrate --domain ${name}\` has made one`;
    return [packFinding("note", "calibration", message)];
  }
  try {
    const made = readPackFile(join(folder, calibration), gateCalibrationSchema);
    return made.domain === name ? [] : [packFinding("fault", "calibration", `${calibration} was made for the domain "${made.domain}"`)];
  } catch (error) {
    return [faultOf("calibration", error)];
  }
}

function describeMade(made: GateThreshold, name: string, now: Date): PackFinding[] {
  if (made.type === "unusable") {
    const message = `not in use, the shipped threshold is: ${made.why}. Run \`sourcebound calibrate --domain ${name}\` again, or remove the file`;
    return [packFinding("warning", "calibration", message)];
  }
  if (made.type !== "calibrated") return [];
  const { name: file, date, labels, documents, risk, delta } = made.calibration;
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(date)) / DAY_MS));
  const age = days === 0 ? "less than a day ago" : days === 1 ? "1 day ago" : `${days} days ago`;
  const promise = `at most ${percent(risk)} of the answers to such questions wrong, with ${percent(1 - delta)} confidence`;
  const message = `in use, and it fits: ${file}, made ${age} (${date.slice(0, 10)}) on ${labels.n} labelled questions and ${documents.windows} windows; ${promise}`;
  return [packFinding("note", "calibration", message)];
}

function checkProfile({ default_profile }: DomainPack): PackFinding[] {
  try {
    profileNamed(default_profile);
    return [];
  } catch (error) {
    return [faultOf("profile", error)];
  }
}

function faultOf(check: PackFinding["check"], error: unknown): PackFinding {
  if (!(error instanceof SourceboundError)) throw error;
  return packFinding("fault", check, messageOf(error));
}
