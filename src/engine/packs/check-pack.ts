import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type GateThreshold, gateCalibrationSchema, percent } from "../../evidence/calibration.ts";
import { type GoldenSet, readGoldenSet } from "../../grading/golden-set.ts";
import { openedExtensions } from "../../ingest/formats/formats.ts";
import { type ParsedDocument, readDocuments } from "../../ingest/parse.ts";
import { scanFolder } from "../../ingest/scan.ts";
import { isListedHost } from "../../models/web-page.ts";
import { profileNamed } from "../../profiles/index.ts";
import { ConfigError, messageOf, SourceboundError } from "../../shared/errors.ts";
import { memoised } from "../../text/memo.ts";
import { fileOfDocument } from "../../text/paths.ts";
import { createStemmer, words } from "../../text/tokens.ts";
import { type DomainPack, loadDomain, readPackFile } from "../domain.ts";

/** A document of a folder, parsed as in ingestion. */
export type FolderDocument = Pick<ParsedDocument, "path" | "metadata" | "access" | "tenant" | "text">;

export interface ReadFolderOptions {
  /** Folder to which paths are relative. */
  readonly root: string;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  readonly onFile?: (done: number, total: number, path: string) => void;
}

/**
 * @returns the documents; `skipped`: files without a known format; `failed`: files that cannot be read; both with reasons
 * @throws IngestError `folder_missing`, `folder_unreadable`, `not_a_folder`
 */
export async function readFolder(folder: string, { root, maxFileBytes, signal, onFile }: ReadFolderOptions) {
  const { files, skipped, unreadable } = scanFolder(folder, root, openedExtensions);
  const documents: FolderDocument[] = [];
  const failed = unreadable.map(({ path, reason }) => ({ path, reason }));
  for (const [i, { path, absolute, bytes }] of files.entries()) {
    signal.throwIfAborted();
    onFile?.(i, files.length, path);
    if (bytes > maxFileBytes) {
      failed.push({ path, reason: `it has ${bytes} bytes; the limit is ${maxFileBytes}` });
      continue;
    }
    try {
      documents.push(...(await readDocuments({ path, bytes: await readFile(absolute) })));
    } catch (error) {
      failed.push({ path, reason: messageOf(error) });
    }
  }
  return { documents, skipped, failed };
}

/** Minimum number of questions per tenant for a meaningful result. */
const FEW_QUESTIONS = 10;

/**
 * Checks that the tenants, pages and quotes of every golden question exist.
 * @param visibleTo documents by tenant; key `""`: the shared documents. `null`: there are no documents, so pages and
 * quotes cannot be checked
 */
function checkGolden(pack: DomainPack, visibleTo: ReadonlyMap<string, readonly FolderDocument[]> | null) {
  const none = (level: FindingLevel, message: string) => ({ questions: 0, findings: [packFinding(level, "golden", message)] });
  if (pack.golden === null) return none("note", "there is no golden set, so the answers of this pack are not measured");
  let set: GoldenSet;
  try {
    set = readGoldenSet({ name: pack.name, corpus: pack.folder, golden: join(pack.folder, pack.golden) });
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return none("fault", error.message);
  }
  const all = [...set.answerable, ...set.unanswerable];
  const unknownTenants = all
    .filter(({ tenant }) => tenant !== null && pack.tenants[tenant] === undefined)
    .map(({ id, tenant }) => `${id}: ${tenant}`);
  const few = Object.keys(pack.tenants).filter((name) => all.filter(({ tenant }) => tenant === name).length < FEW_QUESTIONS);
  return {
    questions: all.length,
    findings: [
      ...some("fault", "golden", "questions are asked by a tenant that is not in the pack", unknownTenants),
      ...some("warning", "golden", `tenants have fewer than ${FEW_QUESTIONS} questions`, few),
      ...(visibleTo === null
        ? [packFinding("note", "golden", "pages and quotes were not checked, because the documents are not available")]
        : placeFindings(pack, set, visibleTo)),
    ],
  };
}

function placeFindings(pack: DomainPack, set: GoldenSet, visibleTo: ReadonlyMap<string, readonly FolderDocument[]>): PackFinding[] {
  const textOf = memoised((page: string) => {
    const path = join(pack.folder, fileOfDocument(page));
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  });
  const pagesOf = (tenant: string | null) => (visibleTo.get(tenant ?? "") ?? []).map(({ path }) => path);
  const lost = set.answerable.flatMap(({ id, tenant, gold_pages }) =>
    gold_pages.filter((page) => !pagesOf(tenant).includes(page)).map((page) => `${id}: ${page}`),
  );
  const missing = (id: string, quotes: readonly string[], pages: readonly string[]) =>
    quotes.filter((quote) => !pages.some((page) => textOf(page).includes(quote))).map((quote) => `${id}: ${quote}`);
  const unheard = set.answerable.flatMap(({ id, gold_pages, gold_quotes }) => missing(id, gold_quotes, gold_pages));
  const uncontradicted = set.unanswerable.flatMap(({ id, tenant, contradicting_quotes: quotes }) => missing(id, quotes, pagesOf(tenant)));
  return [
    ...some("fault", "golden", "gold pages do not exist or are not accessible to the asker", lost),
    ...some("fault", "golden", "gold quotes do not occur verbatim on their pages", unheard),
    ...some("fault", "golden", "contradicting quotes occur on no page accessible to the asker", uncontradicted),
  ];
}

/**
 * Severity. `fault`: something does not work. `warning`: no effect, or an unintended one. `note`: something is missing or worth knowing.
 */
export type FindingLevel = "fault" | "warning" | "note";

type PackFinding = ReturnType<typeof packFinding>;

/**
 * @param check part of the pack, such as `topics`
 * @param message the problem and its remedy
 * @param items the affected entries, such as paths or words; empty if `message` says everything
 */
function packFinding(level: FindingLevel, check: string, message: string, items: readonly string[] = []) {
  return { level, check, message, items };
}

/** Result of `checkPack`. `title` is `null` if the pack cannot be parsed. */
export type PackReport = Awaited<ReturnType<typeof checkPack>>;

export interface CheckPackOptions extends Pick<ReadFolderOptions, "maxFileBytes" | "signal"> {
  readonly domainsDir: string | undefined;
  /** Folder of documents that replaces the pack's own, absolute. */
  readonly documents?: string | undefined;
  /** Returns the threshold of a local calibration; `null`: there is none. Without this function, only the pack's calibration is checked. */
  readonly madeHere?: ((pack: DomainPack) => Promise<GateThreshold | null>) | undefined;
}

/** Checks a pack without asking questions. @throws RequestError `unknown_domain` */
export async function checkPack(name: string, options: CheckPackOptions) {
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
    ...checkAddresses(pack, read.documents),
    ...golden.findings,
    ...(await checkCalibration(pack, options)),
    ...faultsOf("profile", () => {
      profileNamed(pack.default_profile);
      return [];
    }),
  ];
  return { name, title: pack.title, documents: read.documents.length, questions: golden.questions, findings };
}

/**
 * Reads the documents of a pack. `visibleTo` maps each tenant to the documents that it may read; the key `""` stands
 * for the shared documents. `visibleTo` is `null` if the pack has no folder of documents.
 */
async function readPack(pack: DomainPack, options: CheckPackOptions) {
  const findings: PackFinding[] = [];
  const read = async (folder: string, root: string, tenant: string | null): Promise<FolderDocument[]> => {
    const { documents, failed, skipped } = await readFolder(folder, { root, ...options });
    const foreign = documents.filter((one) => one.tenant !== null && one.tenant !== tenant).map(({ path }) => path);
    const said = (list: readonly { path: string; reason: string }[]) => list.map(({ path, reason }) => `${path}: ${reason}`);
    findings.push(
      ...some("fault", "documents", "files cannot be read", said(failed)),
      ...some("note", "documents", "files have a format that cannot be ingested", said(skipped)),
      ...some("fault", "documents", "documents name another tenant in their front matter than the one whose folder they are in", foreign),
    );
    return documents.filter(({ path }) => !foreign.includes(path)).map((one) => ({ ...one, access: one.access ?? pack.documents.access }));
  };
  const documentsFolder = join(pack.folder, pack.documents.path);
  const folder = options.documents ?? documentsFolder;
  if (options.documents === undefined && !existsSync(documentsFolder)) {
    const message = `the pack has no documents (there is no ${documentsFolder}). Name a folder of documents with --documents to check the vocabulary of the pack`;
    return { documents: [], visibleTo: null, findings: [packFinding("warning", "documents", message)] };
  }
  const shared = await read(folder, options.documents ?? pack.folder, null);
  const visibleTo = new Map<string, readonly FolderDocument[]>([["", shared]]);
  const documents = [...shared];
  for (const [name, tenant] of Object.entries(pack.tenants)) {
    const path = tenant.documents === null ? null : join(pack.folder, tenant.documents);
    if (path !== null && !existsSync(path)) findings.push(packFinding("fault", "tenants", `${name}: the folder ${path} does not exist`));
    const theirs = path !== null && existsSync(path) ? await read(path, pack.folder, name) : [];
    const visible = [...shared, ...theirs].filter(({ access }) => access !== null && tenant.access.includes(access));
    if (visible.length === 0)
      findings.push(packFinding("fault", "tenants", `${name} has access to no documents. Check the tenant's \`access\` and \`documents\``));
    visibleTo.set(name, visible);
    documents.push(...theirs);
  }
  if (documents.length === 0) findings.push(packFinding("fault", "documents", `${folder} contains no documents`));
  return { documents, visibleTo, findings };
}

/** Checks the addresses of the pack. A pack without `hosts` is served on the host of its base address. */
function checkAddresses(pack: DomainPack, documents: readonly FolderDocument[]): PackFinding[] {
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");
  const hosts = pack.hosts.length > 0 || pack.base_url === null ? pack.hosts : [hostOf(pack.base_url)];
  const isListed = (url: string) => isListedHost(hostOf(url), hosts);
  const named = Object.entries({ base_url: pack.base_url, home_page: pack.home_page }).flatMap(([key, url]) =>
    url === null || isListed(url) ? [] : [`${key}: ${url}`],
  );
  const away = documents.flatMap(({ path, metadata: { url } }) => (url === null || isListed(url) ? [] : [`${path}: ${url}`]));
  return [
    ...(named.length === 0
      ? []
      : [packFinding("fault", "addresses", "addresses of the pack (base_url, home_page) have a host that is not in its `hosts`", named)]),
    ...some("warning", "addresses", "documents have an address whose host is not in the pack's `hosts`", away),
  ];
}

/** Checks the calibration in use. A local calibration overrides the pack's. */
async function checkCalibration(pack: DomainPack, { madeHere }: CheckPackOptions): Promise<PackFinding[]> {
  const { calibration, folder, name } = pack;
  let made: GateThreshold | null;
  try {
    made = (await madeHere?.(pack)) ?? null;
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    const message = `whether the calibration of the data folder is used could not be checked: ${error.message}`;
    return [packFinding("warning", "calibration", message)];
  }
  if (made?.type === "unusable") {
    const message = `${made.why}; the default threshold is used. Run \`sourcebound calibrate --risk .05 --domain ${name}\` again, or remove the file`;
    return [packFinding("warning", "calibration", message)];
  }
  if (made?.type === "calibrated") {
    const { name: file, date, labels, documents, risk, delta } = made.calibration;
    const promise = `at most ${percent(risk)} of the answers to such questions are wrong, with ${percent(1 - delta)} confidence`;
    const message = `in use: ${file}, made on ${date.slice(0, 10)} from ${labels.n} labelled questions and ${documents.windows} windows; ${promise}`;
    return [packFinding("note", "calibration", message)];
  }
  if (made !== null) return [];
  if (calibration === null) {
    const message = `the pack has no calibration. Answers are marked as not calibrated until you run \`sourcebound calibrate --risk .05 --domain ${name}\``;
    return [packFinding("note", "calibration", message)];
  }
  return faultsOf("calibration", () => {
    const { domain } = readPackFile(join(folder, calibration), gateCalibrationSchema);
    return domain === name ? [] : [packFinding("fault", "calibration", `${calibration} was made for the domain "${domain}"`)];
  });
}

/** Returns the findings of a check, or a finding for the error that it threw. */
function faultsOf(check: string, find: () => PackFinding[]): PackFinding[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return [packFinding("fault", check, messageOf(error))];
  }
}

/** Returns a function that tells whether the documents contain a word or phrase in any inflection. */
function createHolder(documents: readonly FolderDocument[]) {
  const stem = createStemmer();
  const stems = (text: string) =>
    ` ${words(text)
      .map((word) => (word.code ? word.text : stem(word.text)))
      .join(" ")} `;
  const texts = documents.map(({ metadata, text }) => stems(`${metadata.title}\n${text}`));
  return (phrase: string) => {
    const sought = stems(phrase);
    return sought.trim() !== "" && texts.some((text) => text.includes(sought));
  };
}

/** Reports words of the pack that no document contains, because they have no effect. */
function checkWords(pack: DomainPack, documents: readonly FolderDocument[]): PackFinding[] {
  const holds = createHolder(documents);
  const topics = pack.topics.flatMap(({ slug, keywords }) => keywords.filter((one) => !holds(one)).map((one) => `${slug}: ${one}`));
  const abbreviations = Object.entries(pack.abbreviations)
    .filter(([short, long]) => !holds(short) && !long.some(holds))
    .map(([short]) => short);
  const groups = pack.synonyms.filter((group) => !group.some(holds)).map((group) => group.join(", "));
  const entities = pack.entities.filter(({ patterns }) => !patterns.some((one) => matches(one, documents))).map(({ type }) => type);
  return [
    ...some("warning", "topics", "keywords occur in no document", topics),
    ...some("warning", "vocabulary", "abbreviations occur in no document, neither short nor written out", abbreviations),
    ...some("warning", "vocabulary", "groups of synonyms have no word that occurs in a document", groups),
    ...some("warning", "entities", "types of entities occur in no document", entities),
  ];
}

/** Reports terms that occur in no document of their tenant, so no answer can use them. Also reports tenants without a canonical term. */
function checkTerms({ tenants }: Pick<DomainPack, "tenants">, visibleTo: ReadonlyMap<string, readonly FolderDocument[]>): PackFinding[] {
  const missing = Object.entries(tenants).flatMap(([name, { terms }]) => {
    const holds = createHolder(visibleTo.get(name) ?? []);
    return Object.entries(terms).flatMap(([canonical, term]) => (holds(term) ? [] : [`${name}: ${canonical} "${term}"`]));
  });
  const named = new Set(Object.values(tenants).flatMap(({ terms }) => Object.keys(terms)));
  const partly = [...named].flatMap((canonical) =>
    Object.entries(tenants).flatMap(([name, { terms }]) => (canonical in terms ? [] : [`${name}: ${canonical}`])),
  );
  return [
    ...some("fault", "terms", "tenants' terms occur in no document that the tenant may read", missing),
    ...some("warning", "terms", "canonical terms lack a term for a tenant", partly),
  ];
}

function some(level: PackFinding["level"], check: string, finding: string, items: readonly string[]): PackFinding[] {
  return items.length === 0 ? [] : [packFinding(level, check, `${items.length} ${finding}`, items)];
}

function matches(pattern: string, documents: readonly FolderDocument[]): boolean {
  const sought = new RegExp(pattern, "iu");
  return documents.some(({ text }) => sought.test(text));
}
