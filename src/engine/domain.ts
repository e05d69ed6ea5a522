import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isFindable } from "../guard/hotlines.ts";
import { isAddress } from "../models/web-page.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { type Config, DEFAULT_DOMAIN } from "../shared/config.ts";
import { ConfigError, RequestError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import { didYouMean } from "../text/spelling.ts";
import { readPackFile, termsOf } from "./packs/pack-files.ts";
import type { ScopeOptions } from "./service-types.ts";

/** The six word categories that make a question complex (`seven-layer` source, table 5). */
export const COMPLEXITY_CATEGORIES = ["comparison", "legal_appeals", "medical", "benefits", "presumptive", "financial"] as const;

const slug = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "must be lower-case letters, digits, - and _");
const pattern = z.string().refine(isPattern, "is not a valid regular expression");
const words = z.array(z.string().min(1));
const address = z
  .url({ protocol: /^https?$/ })
  .nullable()
  .default(null);
const path = z.string().min(1).nullable().default(null);

/** A host name as in URLs; other spellings would silently match nothing. */
const host = z
  .string()
  .refine(isHostName, "is no name of a host as it stands in addresses, such as www.example.org or xn--bcher-kva.example");

const termsSchema = z.record(z.string(), z.string().min(1));

/** A domain pack: `domains/NAME/domain.yaml`. */
export const domainSchema = z.strictObject({
  name: slug.describe("Same as the folder"),
  title: z.string().min(1).describe("Name that readers see"),
  description: z.string().default("").describe("One sentence about the documents"),
  language: z.string().default("en").describe("Language of the documents, as a code such as `en`"),
  documents: z
    .strictObject({
      path: z.string().min(1).default("documents").describe("Folder of documents, relative to the pack"),
      access: z.string().min(1).default("public").describe("Access label of documents that state none"),
    })
    .prefault({})
    .describe("The documents that come with the pack"),
  base_url: address.describe("Address under which `path/to/page.md` is served as `path/to/page/`"),
  semantic_cache: z
    .boolean()
    .default(false)
    .describe(
      "Whether a stored answer may be served for a question in other words: only where pairs of this domain's questions showed no wrong one (docs/evaluate.md)",
    ),
  strip_prefix: z.string().default("").describe("Leading part of document paths that is no part of their address, such as `pages/`"),
  home_page: address.describe("Where unknown addresses lead in the `seven-layer` profile"),
  hosts: z.array(host).default([]).describe("Host whitelist; a host stands for its subdomains too"),
  web: z
    .strictObject({ hosts: z.array(host).optional().describe("`hosts` of the pack when absent; empty: none") })
    .prefault({})
    .describe("Hosts whose pages uncertain passages may be checked against; a host stands for its subdomains too"),
  contacts: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe("Who helps"),
        contact: z.string().min(1).describe("Telephone number or address"),
        when: words.default([]).describe("Words of a question that bring this contact first"),
        tenant: slug.nullable().default(null).describe("Named to this tenant only; `null`: to everybody"),
      }),
    )
    .default([])
    .describe("Named by a refusal"),
  hotlines: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe("Name of the emergency"),
        text: z.string().min(1).describe("Shown before everything else"),
        crisis: z
          .boolean()
          .default(false)
          .describe("Also for messages of people who may be about to harm themselves, recognised without listed words"),
        when: z
          .array(z.string().refine(isFindable, "holds no letter or digit"))
          .min(1)
          .describe(
            "Phrases that make a question an emergency; case, accents, apostrophes, punctuation, spacing and repeated letters do not count, each spelling and inflection is a phrase of its own",
          ),
      }),
    )
    .optional()
    .describe(
      "Help in an emergency, shown first whatever becomes of the question; absent: that of the pack `documents`; an empty list: none",
    ),
  topics: z
    .array(
      z.strictObject({
        slug: slug.describe("Short name, as in `reports --topic`"),
        name: z.string().min(1).describe("Name that readers see"),
        keywords: words.min(1).describe("Words and phrases of the topic"),
      }),
    )
    .default([])
    .describe("A question has every topic of which it contains a keyword"),
  entities: z
    .array(
      z.strictObject({
        type: slug.describe("Kind of entity, such as `form`"),
        patterns: z.array(pattern).min(1).describe("Regular expressions that find one"),
        canonical: z.string().default("$1").describe("How a match is written"),
      }),
    )
    .default([])
    .describe("Named things that two questions must share to have the same answer"),
  complexity: z.partialRecord(z.enum(COMPLEXITY_CATEGORIES), words).default({}).describe("Words that route a question to the large model"),
  abbreviations: z.record(z.string(), words).default({}).describe("Abbreviation → what it stands for"),
  synonyms: z.array(words.min(2)).default([]).describe("Groups of words that ask for the same"),
  questions: z
    .strictObject({
      persons: z.array(words.min(1)).default([]).describe("Persons beside those of every domain; the first word of a group names them"),
      readers: words.default([]).describe("Those of them whom every question is about: they tell nothing apart"),
      bodies: z
        .array(words.min(1))
        .default([])
        .describe(
          "Bodies that a person belongs to and that decide rules, such as branches of the armed forces; the first word of a group names it",
        ),
      same: z
        .array(words.min(2))
        .default([])
        .describe("Groups of phrases that ask for the same, beside `synonyms`; documents are not searched by them"),
    })
    .prefault({})
    .describe("What tells questions of the domain apart, or does not, when a stored answer is looked for"),
  precedence: z
    .array(z.enum(["newer", "regulation", "agency", "summary"]))
    .default([])
    .describe("Declared rules by which a conflict of sources is resolved, strongest first; empty: sources that disagree stay side by side"),
  tenants: z
    .record(
      slug,
      z.strictObject({
        title: z.string().min(1).describe("Name that readers see"),
        access: words
          .default(["public"])
          .describe("Labels that the tenant may read, as far as `access` of the configuration grants them; empty: nothing"),
        terms: termsSchema.default({}).describe("Canonical term → the tenant's term; those of `catalogue` are added"),
        documents: path.describe("Folder of documents that only this tenant sees, relative to the pack"),
      }),
    )
    .default({})
    .describe("Parties with vocabulary and access of their own"),
  catalogue: path.describe("YAML file of canonical terms with each tenant's own, relative to the pack"),
  features: path.describe("YAML file that explains each canonical term, relative to the pack"),
  default_profile: slug.default("sourcebound").describe("Profile of requests that name none"),
  calibration: z.string().nullable().default(null).describe("Calibration artifact, relative to the pack"),
  golden: z.string().nullable().default(null).describe("Folder of golden sets, relative to the pack"),
  examples: z
    .array(z.string().min(1))
    .default([])
    .describe("Questions to try; where there are none, the page makes some of headings of the documents"),
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
 * @param own folder of your packs
 * @throws RequestError `unknown_domain` with the nearest known name; ConfigError `domain_invalid` when the pack is invalid
 */
export function loadDomain(name: string, own?: string): DomainPack {
  const found = domainFolders(own);
  const folder = found.get(name);
  if (folder === undefined) {
    const names = [...found.keys()].sort();
    const missing = own === undefined || existsSync(own) ? "" : ` The folder of your own packs, ${own}, does not exist.`;
    const message = `There is no domain "${name}".${didYouMean(name, names)} Known: ${names.join(", ")}.${missing}`;
    throw new RequestError("unknown_domain", message, { domain: name });
  }
  const path = join(folder, "domain.yaml");
  const pack = readPackFile(path, domainSchema);
  if (pack.name !== name) {
    throw new ConfigError("domain_invalid", `${path} says \`name: ${pack.name}\`; its folder says "${name}". Make them equal.`, { path });
  }
  // A pack without hotlines inherits the default pack's; an overriding default pack inherits the bundled one's.
  const from = name === DEFAULT_DOMAIN ? undefined : own;
  const isShipped = name === DEFAULT_DOMAIN && own === undefined;
  const hotlines = pack.hotlines ?? (isShipped ? [] : loadDomain(DEFAULT_DOMAIN, from).hotlines);
  return { ...withCatalogue(pack, folder), hotlines, folder };
}

/** Merges the catalogue's terms into the tenants' own, which take precedence. */
function withCatalogue(pack: WrittenPack, folder: string): WrittenPack {
  if (pack.catalogue === null) return pack;
  const terms = termsOf(join(folder, pack.catalogue), Object.keys(pack.tenants));
  const tenants = Object.entries(pack.tenants).map(([name, tenant]) => [name, { ...tenant, terms: { ...terms[name], ...tenant.terms } }]);
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
 * Returns the hotlines of a domain, or of the configured domain if that pack cannot be loaded, since an asker in danger may mistype the
 * name; none if neither can.
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
      // Answering the question reports the fault of the pack.
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
  const known = Object.keys(pack.tenants);
  if (known.includes(name)) return name;
  const list = known.length === 0 ? "The domain has none." : `Known: ${known.join(", ")}.`;
  const message = `Domain "${pack.name}" has no tenant "${name}".${didYouMean(name, known)} ${list}`;
  throw new RequestError("unknown_tenant", message, { tenant: name });
}

/**
 * Returns the scope of a tenant. A tenant has the labels that both the configuration and its entry in the pack grant, so a forgotten entry
 * hides documents and never exposes them.
 * @param granted labels that the configuration grants
 * @throws RequestError `unknown_tenant`
 */
export function scopeOf(pack: DomainPack, tenant: string | null | undefined, granted: readonly string[]): Scope {
  const name = tenantOf(pack, tenant);
  const own = name === null ? null : (pack.tenants[name]?.access ?? []);
  return { domain: pack.name, tenant: name, access: own === null ? granted : granted.filter((label) => own.includes(label)) };
}

/** Returns the scope of a request, with the configured labels unless it brings its own. @throws RequestError `unknown_tenant` */
export function askingScope(
  pack: DomainPack,
  { tenant, access, caller }: Pick<ScopeOptions, "tenant" | "access" | "caller">,
  config: Pick<Config, "access">,
): Scope {
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
