import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { isFindable } from "../guard/hotlines.ts";
import { isAddress } from "../models/web-page.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { type Config, DEFAULT_DOMAIN } from "../shared/config.ts";
import { ConfigError, messageOf, RequestError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import { didYouMean } from "../text/spelling.ts";
import { describeIssues, group, optional, setting } from "../text/validate.ts";
import type { ScopeOptions } from "./engine-types.ts";

/** The six categories of words that make a question complex, as in the published `seven-layer` design (docs/profiles.md). */
export const COMPLEXITY_CATEGORIES = ["comparison", "legal_appeals", "medical", "benefits", "presumptive", "financial"] as const;

const slug = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "must consist of lower-case letters, digits, - and _");
const pattern = z.string().refine(isPattern, "is not a valid regular expression");
const words = z.array(z.string().min(1));
const address = z
  .url({ protocol: /^https?$/ })
  .nullable()
  .default(null);
const path = z.string().min(1).nullable().default(null);

/** A host name as it appears in URLs. Any other spelling would silently match nothing. */
const host = z.string().refine(isHostName, "is not a host name as used in addresses, such as www.example.org or xn--bcher-kva.example");

const list = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => setting(z.array(z.strictObject(shape)), [], description);

const termsSchema = z.record(z.string(), z.string().min(1));

/** A domain pack: `domains/NAME/domain.yaml`. */
export const domainSchema = z.strictObject({
  name: slug.describe("Same as the folder name"),
  title: z.string().min(1).describe("Title shown to users"),
  description: setting(z.string(), "", "One sentence about the documents"),
  language: setting(z.string(), "en", "Language of the documents, as a code such as `en`"),
  documents: group("Documents bundled with the pack", {
    path: setting(z.string().min(1), "documents", "Folder of documents, relative to the pack"),
    access: setting(z.string().min(1), "public", "Access label of documents that declare none"),
  }),
  base_url: address.describe("Base URL at which `path/to/page.md` is served as `path/to/page/`"),
  semantic_cache: setting(
    z.boolean(),
    false,
    "Whether a stored answer may be served for a paraphrase. Allow it only if a test with pairs of this domain's questions gave no wrong answer (docs/evaluate.md)",
  ),
  strip_prefix: setting(z.string(), "", "Beginning of document paths that is left out of their address, such as `pages/`"),
  home_page: address.describe(
    "Address that the profile `seven-layer` puts in place of an address in an answer whose host is not in `hosts`",
  ),
  hosts: setting(z.array(host), [], "Hosts that addresses in answers may belong to; each host includes its subdomains"),
  web: group("Hosts whose pages may be used to check uncertain passages; each host includes its subdomains", {
    hosts: optional(z.array(host), "Hosts that may be used; absent: the `hosts` of the pack; empty: none"),
  }),
  contacts: list("Contacts shown in a refusal", {
    name: z.string().min(1).describe("Name of the contact"),
    contact: z.string().min(1).describe("Telephone number or address"),
    when: setting(
      words,
      [],
      "The contact is shown first if the question contains one of these words, and otherwise not at all; empty: shown for every question",
    ),
    tenant: setting(slug.nullable(), null, "Shown to this tenant only; `null`: to everyone"),
  }),
  hotlines: optional(
    z.array(
      z.strictObject({
        name: z.string().min(1).describe("Name of the emergency"),
        text: z.string().min(1).describe("Text shown before everything else"),
        crisis: setting(z.boolean(), false, "Also shown when a message suggests a risk of self-harm, even without a phrase of `when`"),
        when: z
          .array(z.string().refine(isFindable, "must contain a letter or digit"))
          .min(1)
          .describe(
            "Phrases that mark a question as an emergency. Case, accents, apostrophes, punctuation, spacing and repeated letters are ignored; list each spelling and inflection separately",
          ),
      }),
    ),
    "Emergency help, shown before any answer; absent: the hotlines of the pack `documents`; an empty list: none",
  ),
  topics: list("Topics; a question belongs to every topic of which it contains a keyword", {
    slug: slug.describe("Short name, as in `reports --topic`"),
    name: z.string().min(1).describe("Title shown to users"),
    keywords: words.min(1).describe("Words and phrases of the topic"),
  }),
  entities: list("Entities that two questions must share to have the same answer", {
    type: slug.describe("Kind of entity, such as `form`"),
    patterns: z.array(pattern).min(1).describe("Regular expressions that match the entity"),
    canonical: setting(z.string(), "$1", "One form for all spellings of an entity; `$1` is the first group of the pattern"),
  }),
  complexity: setting(
    z.partialRecord(z.enum(COMPLEXITY_CATEGORIES), words),
    {},
    "Words that mark a question as complex, by category; profiles that choose between two models give it to the large one",
  ),
  abbreviations: setting(z.record(z.string(), words), {}, "Abbreviation → its long forms"),
  synonyms: setting(z.array(words.min(2)), [], "Groups of equivalent words"),
  precedence: setting(
    z.array(z.enum(["newer", "regulation", "agency", "summary"])),
    [],
    "Declared rules that resolve conflicts between sources, strongest first; empty: conflicting sources are shown side by side",
  ),
  tenants: setting(
    z.record(
      slug,
      z.strictObject({
        title: z.string().min(1).describe("Title shown to users"),
        access: setting(words, ["public"], "Access labels that the tenant may read, if the setting `access` grants them too; empty: none"),
        terms: setting(termsSchema, {}, "Canonical term → the tenant's term; terms of `catalogue` are added"),
        documents: path.describe("Folder of documents visible only to this tenant, relative to the pack"),
      }),
    ),
    {},
    "Tenants with their own vocabulary and access",
  ),
  catalogue: path.describe("YAML file with canonical terms and the term of each tenant, relative to the pack"),
  default_profile: setting(slug, "sourcebound", "Profile used when a request names none"),
  calibration: setting(z.string().nullable(), null, "Calibration file written by `sourcebound calibrate`, relative to the pack"),
  golden: setting(z.string().nullable(), null, "Folder of golden sets, relative to the pack"),
  examples: setting(
    z.array(z.string().min(1)),
    [],
    "Example questions; when absent, the web app suggests questions from headings and tables of the documents",
  ),
});

type WrittenPack = z.infer<typeof domainSchema>;

export type DomainPack = Omit<WrittenPack, "hotlines"> & {
  readonly hotlines: NonNullable<WrittenPack["hotlines"]>;
  /** Absolute path of the pack's folder. */
  readonly folder: string;
};

/** Folder of the bundled domain packs. */
export const SHIPPED_DOMAINS = join(PACKAGE_ROOT, "domains");

/**
 * Loads a domain pack; your packs override bundled ones.
 * @param domainsDir folder of your packs
 * @throws RequestError `unknown_domain` with the nearest known name; ConfigError `domain_invalid` when the pack is invalid
 */
export function loadDomain(name: string, domainsDir?: string): DomainPack {
  const found = domainFolders(domainsDir);
  const folder = found.get(name);
  if (folder === undefined) {
    const names = [...found.keys()].sort();
    const missing =
      domainsDir === undefined || existsSync(domainsDir) ? "" : ` The folder of your own packs, ${domainsDir}, does not exist.`;
    const message = `Unknown domain "${name}".${didYouMean(name, names)} Known domains: ${names.join(", ")}.${missing}`;
    throw new RequestError("unknown_domain", message, { domain: name });
  }
  const path = join(folder, "domain.yaml");
  const pack = readPackFile(path, domainSchema);
  if (pack.name !== name) {
    const message = `${path} contains \`name: ${pack.name}\`, but its folder is named "${name}". Use the same name for both.`;
    throw new ConfigError("domain_invalid", message, { path });
  }
  // A pack without hotlines inherits those of the default pack. A default pack of your own inherits those of the bundled default pack.
  const from = name === DEFAULT_DOMAIN ? undefined : domainsDir;
  const isShipped = name === DEFAULT_DOMAIN && domainsDir === undefined;
  const hotlines = pack.hotlines ?? (isShipped ? [] : loadDomain(DEFAULT_DOMAIN, from).hotlines);
  return { ...withCatalogue(pack, folder), hotlines, folder };
}

/**
 * Merges the catalogue's terms into the tenants' own, which take precedence.
 * @throws ConfigError `domain_invalid`, also for an unknown tenant
 */
function withCatalogue(pack: WrittenPack, folder: string): WrittenPack {
  if (pack.catalogue === null) return pack;
  const path = join(folder, pack.catalogue);
  const names = Object.keys(pack.tenants);
  const found: Record<string, Record<string, string>> = {};
  const { data, lineOf } = openPackFile(path, catalogueSchema);
  for (const [canonical, { terms }] of Object.entries(data)) {
    for (const [tenant, term] of Object.entries(terms)) {
      if (!names.includes(tenant)) {
        const line = lineOf([canonical, "terms", tenant]);
        const message = `${path}, line ${line} gives ${canonical} a term for "${tenant}", which is not a tenant of the pack.${didYouMean(tenant, names)}`;
        throw new ConfigError("domain_invalid", message, { path, faults: [message] });
      }
      found[tenant] = { ...found[tenant], [canonical]: term };
    }
  }
  const tenants = Object.entries(pack.tenants).map(([name, tenant]) => [name, { ...tenant, terms: { ...found[name], ...tenant.terms } }]);
  return { ...pack, tenants: Object.fromEntries(tenants) };
}

/** Lists the names of bundled packs and of yours, sorted. */
export function listDomains(own?: string): string[] {
  return [...domainFolders(own).keys()].sort();
}

/** Maps names to folders; your pack overrides a bundled pack of the same name. */
function domainFolders(own: string | undefined): Map<string, string> {
  return new Map([SHIPPED_DOMAINS, ...(own === undefined ? [] : [own])].flatMap(packsIn));
}

function packsIn(folder: string): [name: string, folder: string][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "domain.yaml")))
    .map((entry) => [entry.name, join(folder, entry.name)]);
}

/** Builds a document's URL: `pages/a/b.md` → `BASE/a/b/`; an `index` maps to its folder. `null` without a base address. */
export function documentUrl(pack: Pick<DomainPack, "base_url" | "strip_prefix">, path: string): string | null {
  if (pack.base_url === null) return null;
  const bare = path.startsWith(pack.strip_prefix) ? path.slice(pack.strip_prefix.length) : path;
  const page = bare.replace(/\.[a-z0-9]+$/i, "").replace(/(^|\/)index$/, "$1");
  const encoded = page
    .split("/")
    .filter((part) => !["", ".", ".."].includes(part))
    .map(encodeURIComponent);
  return new URL(encoded.map((part) => `${part}/`).join(""), pack.base_url.endsWith("/") ? pack.base_url : `${pack.base_url}/`).href;
}

/**
 * Returns the hotlines of a domain. If its pack cannot be loaded, returns those of the configured domain, because a
 * person in danger may mistype the name. If neither can be loaded, returns none.
 * @param load loads a pack by its name
 */
export function packHotlines(
  name: string | undefined,
  { domain, domains_dir }: Pick<Config, "domain" | "domains_dir">,
  load: (name: string) => DomainPack = (one) => loadDomain(one, domains_dir),
): DomainPack["hotlines"] {
  for (const one of [name ?? domain, domain]) {
    try {
      return load(one).hotlines;
    } catch {
      // Ignore the error here; answering the question will report it.
    }
  }
  return [];
}

function isHostName(name: string): boolean {
  const url = `https://${name}/`;
  return URL.canParse(url) && new URL(url).hostname === name.toLowerCase() && !name.endsWith(".") && !isAddress(name);
}

export function publishedContacts({ contacts, hotlines }: Pick<DomainPack, "contacts" | "hotlines">): string[] {
  return [...contacts.map(({ contact }) => contact), ...hotlines.map(({ text }) => text)];
}

/** @throws RequestError `unknown_tenant` with the nearest known name */
export function tenantOf(pack: DomainPack, name: string | null | undefined): string | null {
  if (name === null || name === undefined) return null;
  return assertNamed("tenant", name, Object.keys(pack.tenants), pack.name, "The domain has no tenants.");
}

/** @param none sentence for a domain without such names */
export function assertNamed(kind: "tenant" | "topic", name: string, known: readonly string[], domain: string, none: string): string {
  if (known.includes(name)) return name;
  const list = known.length === 0 ? none : `Known ${kind}s: ${known.join(", ")}.`;
  const asked = name.slice(0, 100);
  const message = `Unknown ${kind} "${asked}" in domain "${domain}".${didYouMean(asked, known)} ${list}`;
  throw new RequestError(`unknown_${kind}`, message, { [kind]: name });
}

/**
 * Returns the scope of a tenant. A tenant has the labels that both the configuration and its entry in the pack grant,
 * so forgetting an entry hides documents but never exposes them.
 * @param granted labels that the configuration grants
 * @throws RequestError `unknown_tenant`
 */
export function scopeOf(pack: DomainPack, tenant: string | null | undefined, granted: readonly string[]): Scope {
  const name = tenantOf(pack, tenant);
  const own = name === null ? null : (pack.tenants[name]?.access ?? []);
  return { domain: pack.name, tenant: name, access: own === null ? granted : granted.filter((label) => own.includes(label)) };
}

/** Returns the scope of a request. Its own access labels replace the configured ones. @throws RequestError `unknown_tenant` */
export function askingScope(pack: DomainPack, { tenant, access, caller }: ScopeOptions, config: Pick<Config, "access">): Scope {
  return { ...scopeOf(pack, tenant, access ?? config.access), ...(caller === undefined ? {} : { caller }) };
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "giu");
    return true;
  } catch {
    return false;
  }
}

/** Parses a YAML file of a domain pack. @throws ConfigError `domain_invalid` with every fault and its line */
export function readPackFile<T>(path: string, schema: z.ZodType<T>): T {
  return openPackFile(path, schema).data;
}

function openPackFile<T>(path: string, schema: z.ZodType<T>) {
  const lines = new LineCounter();
  let document: Document.Parsed;
  let value: unknown;
  try {
    document = parseDocument(readFileSync(path, "utf8"), { lineCounter: lines });
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    value = document.toJS();
  } catch (cause) {
    throw new ConfigError("domain_invalid", `${path} could not be read: ${messageOf(cause)}`, { path }, { cause });
  }
  /** Returns the line of the value at `keys`, or of the innermost existing value around it. */
  const lineOf = (keys: readonly PropertyKey[]): number => {
    const node = document.getIn(keys.map(String), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    return keys.length === 0 ? 1 : lineOf(keys.slice(0, -1));
  };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data, lineOf };
  const described = describeIssues(parsed.error, schema);
  const faults = parsed.error.issues.map((issue, i) => {
    const keys = issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    return `line ${lineOf(keys)}: ${described[i]}`;
  });
  throw new ConfigError("domain_invalid", `${path} is not valid: ${faults.join("; ")}`, { path, faults });
}

/** `term-catalog.yaml`: the meaning of each canonical term and the tenants' names for it. */
const catalogueSchema = z.record(
  z.string().min(1),
  z.strictObject({ meaning: z.string().default(""), terms: z.record(z.string(), z.string().min(1)) }),
);
