import type { Context } from "hono";
import { aboutDocuments } from "../../engine/asking.ts";
import { listDomains } from "../../engine/domain.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ScopeOptions } from "../../engine/engine-types.ts";
import { unknownDocument } from "../../engine/uploads.ts";
import { bringsGolden } from "../../grading/choose-sets.ts";
import { profiles } from "../../profiles/index.ts";
import { DEFAULT_DOMAIN } from "../../shared/config.ts";
import { RequestError } from "../../shared/errors.ts";
import type { Scope, StoredDocument } from "../../shared/types.ts";
import * as wire from "../../wire/index.ts";
import { type Caller, isAdministrator, narrow, reachOf, scopeDenied } from "../access/caller.ts";
import { endpoint, type ServerLimits } from "../endpoint.ts";
import { paginate } from "../read-request.ts";

const ofDocument = { opens: "ask", uncounted: true } as const;

/** Caller, domains, and documents with their files. */
export const libraryEndpoints = {
  whoami: endpoint({
    ...{ method: "GET", path: "/v1/whoami", opens: "caller" },
    what: "How the server identifies the caller: key id and roles.",
    gives: { status: 200, schema: wire.callerSchema },
    handle: ({ caller: { keyId, roles } }, { engine, limits }) => {
      const uploads = roles.has("ingest") ? { uploads: uploadLimits(limits, engine.config.file_bytes) } : {};
      return { key_id: keyId, roles: [...roles].sort(), ...uploads };
    },
  }),
  domains: endpoint({
    ...{ method: "GET", path: "/v1/domains", ...ofDocument, unstored: true },
    what: "Domains that the caller may ask, each with its tenants, and all profiles.",
    gives: { status: 200, schema: wire.domainsSchema },
    handle: ({ caller }, { engine }) => listReachable(engine, caller),
  }),
  suggestions: endpoint({
    ...{ method: "GET", path: "/v1/suggestions", ...ofDocument, unstored: true },
    what: "Up to three questions that the documents answer. A question is listed only after this server has answered it.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.suggestionsSchema },
    handle: async ({ caller, query }, { engine }) => ({ items: [...(await engine.suggestions(narrow(caller, query)))] }),
  }),
  documents: endpoint({
    ...{ method: "GET", path: "/v1/documents", ...ofDocument, etag: true },
    what: "Files with their documents, sorted by path, including files being ingested. Files without a document accessible to the key are omitted.",
    query: wire.listQuerySchema,
    gives: { status: 200, schema: wire.fileListSchema },
    handle: async ({ caller, query: { limit, cursor, ...named } }, { engine }) =>
      paginate(await engine.library(reachOf(caller, named)), { limit, cursor }, wire.fileToWire),
  }),
  document: endpoint({
    ...{ method: "GET", path: "/v1/documents/{id}", ...ofDocument, unstored: true },
    what: "A whole document by the id used in citations: text, blocks, outline; with `start` and `end`, also the place of this range on the pages.",
    query: wire.documentQuerySchema,
    gives: { status: 200, schema: wire.documentSchema },
    handle: async ({ caller, query: { start, end, version, ...named }, id }, { engine }) => {
      const scope = await engine.reach(reachOf(caller, named));
      const current = (await engine.store.documents.load(scope, [id])).get(id);
      if (current === undefined) throw unknownDocument(id);
      const isCurrent = version === undefined || version === current.version;
      const document = isCurrent ? current : await pastVersion(engine, scope, id, version);
      const range = start !== undefined && end !== undefined && start < end && end <= document.text.length ? { start, end } : null;
      return wire.documentToWire(document, range);
    },
  }),
  original: endpoint({
    ...{ method: "GET", path: "/v1/documents/{id}/original", ...ofDocument },
    what: "The original file of a document, byte for byte; 409 if the file has changed since it was ingested.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: null },
    handle: async ({ context, caller, query, id }, { engine }) => {
      const { bytes, path } = await engine.original(id, reachOf(caller, query));
      context.header("Cache-Control", "no-store");
      return sendAttachment(context, bytes, path.split("/").at(-1) ?? "original");
    },
  }),
  versions: endpoint({
    ...{ method: "GET", path: "/v1/documents/{id}/versions", ...ofDocument },
    what: "Versions of a document, newest first, and whether their text is kept.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.versionListSchema },
    handle: async ({ caller, query, id }, { engine: { reach, store } }) => {
      const scope = await reach(reachOf(caller, query));
      if (!(await store.documents.load(scope, [id])).has(id)) throw unknownDocument(id);
      return { items: await store.corpusLog.versionsOf(scope.domain, id) };
    },
  }),
  documentStatus: endpoint({
    ...{ method: "GET", path: "/v1/documents/{id}/status", ...ofDocument, etag: true },
    what: "State of a file by its id: queued, reading, ok, or failed with the reason.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.fileSchema },
    handle: async ({ caller, query, id }, { engine }) => {
      const file = (await engine.library(reachOf(caller, query))).find((one) => one.id === id);
      if (file === undefined) throw unknownFile();
      return wire.fileToWire(file);
    },
  }),
  upload: endpoint({
    ...{ method: "POST", path: "/v1/documents", opens: "ingest", idempotent: true },
    what: "Uploads files (`multipart/form-data`, each as `file`), all or none, and starts to ingest them. A file of the same name is replaced. 409 if a folder already has the name of the file, or a file already has the name of its folder.",
    query: wire.uploadQuerySchema,
    body: "files",
    gives: { status: 202, schema: wire.uploadResponseSchema },
    handle: async ({ context, caller, query: { access, ...named } }, { engine, limits }) => {
      const scope = narrow(caller, named);
      const { domain, tenant } = scope;
      assertOwnTenant(caller, tenant);
      const label = access ?? caller.ownLabel ?? engine.domain(domain).documents.access;
      // Nobody may upload a file with a label that they cannot see.
      if (!isAdministrator(caller) && !engine.scope(scope).access.includes(label)) throw scopeDenied();
      const { file_bytes: maxBytes } = engine.config;
      const uploaded = [];
      for (const file of await filesOf(context, limits.uploadFiles)) {
        if (file.size > maxBytes) {
          const message = `"${file.name}" exceeds ${maxBytes} bytes. No file of this upload was saved. Split the file, or omit it.`;
          throw new RequestError("file_too_large", message, { name: file.name, limit_bytes: maxBytes });
        }
        uploaded.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      }
      const kept = await engine.uploadAll(uploaded, { domain, tenant, label });
      context.header("Location", `/v1/documents/${kept[0]?.id ?? ""}/status`);
      return { items: kept.map(wire.fileToWire) };
    },
  }),
  deleteDocument: endpoint({
    ...{ method: "DELETE", path: "/v1/documents/{id}", opens: "ingest" },
    what: "Deletes an uploaded file by its id, with everything that depends on it.",
    query: wire.scopeQuerySchema,
    gives: { status: 204, schema: null },
    handle: async ({ caller, query, id }, { engine }) => {
      const scope = reachOf(caller, query);
      assertOwnTenant(caller, scope.tenant);
      if (!(await engine.deleteUpload(id, scope))) throw unknownFile();
    },
  }),
};

/** Sends a file as a download, so that no browser displays it as a page of this server. */
export function sendAttachment(context: Context, body: Uint8Array<ArrayBuffer> | string, name: string): Response {
  return context.body(body, 200, {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  });
}

/** Bytes per file for form headers, with a file name of at most 200 characters. */
const FORM_BYTES_PER_FILE = 1_024;

/** Returns the limits of one upload, which the web app shows. @param fileBytes maximum size of an ingested file */
function uploadLimits({ uploadBytes, uploadFiles }: ServerLimits, fileBytes: number): wire.WireUploadLimits {
  const bytes = uploadBytes - uploadFiles * FORM_BYTES_PER_FILE;
  return { files: uploadFiles, bytes, file_bytes: Math.min(bytes, fileBytes) };
}

/**
 * Returns a past version of a document if the scope includes the access label that this version had.
 * @throws RequestError `unknown_document`
 */
async function pastVersion(engine: Engine, scope: Scope, id: string, version: string): Promise<StoredDocument> {
  const [past] = await engine.store.corpusLog.past(scope.domain, new Map([[id, version]]));
  if (past !== undefined && scope.access.includes(past.document.access)) return past.document;
  const message =
    "The text of this version is not stored. Past versions are kept only if a stored answer may depend on them. Omit `version` to get the current version.";
  throw new RequestError("unknown_document", message, { id });
}

/** Lists the domains in which the caller has documents, and the default domain. */
export async function listReachable(engine: Engine, caller: Caller): Promise<wire.WireDomains> {
  const { config } = engine;
  const meant = caller.domains?.[0] ?? config.domain;
  const names = listDomains(config.domains_dir).filter((name) => caller.domains === null || caller.domains.includes(name));
  const found = await Promise.all(names.map((name) => describeDomain(engine, caller, name)));
  const domains = found
    .filter((one) => one !== null)
    .filter(({ name, documents }) => documents > 0 || name === meant)
    .map((one) => ({ ...one, default: one.name === meant }));
  return { domains, profiles: profiles.map(({ name, title }) => ({ name, title })), model: config.model !== undefined };
}

async function describeDomain(engine: Engine, caller: Caller, domain: string) {
  const pack = packOf(engine, domain);
  if (pack === null) return null;
  const tenants = Object.entries(pack.tenants).filter(([name]) => caller.tenants === null || caller.tenants.includes(name));
  const own: ScopeOptions = narrow({ ...caller, tenants: caller.tenants?.slice(0, 1) ?? null }, { domain });
  // The key's tenant belongs to another domain, so this domain is not listed.
  if (own.tenant !== undefined && own.tenant !== null && !Object.hasOwn(pack.tenants, own.tenant)) return null;
  const scope = engine.scope(own);
  const { documents, asOf } = await engine.counts(scope);
  const isOwn = documents > 0 && domain === DEFAULT_DOMAIN;
  return {
    ...{ name: domain, title: pack.title, documents, as_of: asOf },
    description: isOwn ? `${await aboutDocuments(pack, scope, engine.store.documents)}.` : pack.description,
    examples: pack.examples,
    golden: bringsGolden(domain, engine.config.domains_dir),
    profile: engine.config.profile ?? pack.default_profile,
    tenants: tenants.map(([name, { title }]) => ({ name, title })),
  };
}

/** Returns the pack of a domain, or `null` if the pack is invalid. `sourcebound doctor` reports the fault. */
function packOf(engine: Engine, domain: string) {
  try {
    return engine.domain(domain);
  } catch {
    return null;
  }
}

/** Returns the files of the form, at least one. @throws RequestError `upload_invalid` */
async function filesOf(context: Context, most: number): Promise<File[]> {
  const type = context.req.header("content-type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) throw uploadInvalid(most);
  const form = await context.req.formData().catch((cause: unknown) => {
    throw uploadInvalid(most, cause);
  });
  const files = form.getAll("file").filter((entry): entry is File => typeof entry !== "string");
  if (files.length === 0 || files.length > most || [...form.keys()].some((key) => key !== "file")) throw uploadInvalid(most);
  return files;
}

/** Checks the tenant of an upload. A key bound to tenants must name one, because files without a tenant are shared by all. */
function assertOwnTenant({ tenants }: Caller, tenant: string | null | undefined): void {
  if (tenants !== null && tenants.length > 0 && (tenant === undefined || tenant === null)) throw scopeDenied();
}

function uploadInvalid(most: number, cause?: unknown): RequestError {
  const message = `Send 1–${most} files as multipart/form-data, each in a part named "file": curl -F file=@letter.pdf`;
  return new RequestError("upload_invalid", message, {}, cause === undefined ? undefined : { cause });
}

function unknownFile(): RequestError {
  return new RequestError("unknown_file", "This file does not exist or is not accessible to you. GET /v1/documents lists the files.");
}
