import type { Context } from "hono";
import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../errors.ts";
import {
  checkRequestSchema,
  checkToWire,
  fileToWire,
  listQuerySchema,
  queryRequestSchema,
  queryToWire,
  scopeQuerySchema,
  searchRequestSchema,
  searchToWire,
  uploadQuerySchema,
} from "../../wire/service.ts";
import { type Caller, callerOf, isAdministrator, narrow, reachOf, scopeDenied } from "../access/caller.ts";
import type { ServerLimits } from "../limits.ts";
import type { Handlers } from "../mount.ts";
import { paginate } from "../page.ts";
import { bodyOf, partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type LibraryEngine = Pick<
  Engine,
  "answer" | "search" | "check" | "library" | "uploadAll" | "deleteUpload" | "domain" | "scope" | "config"
>;

/** Documents and what is done with them beside asking. */
export function libraryHandlers(engine: LibraryEngine, limits: Pick<ServerLimits, "uploadFiles">): Handlers {
  return { ...findingHandlers(engine), ...fileHandlers(engine, limits) };
}

function findingHandlers(engine: LibraryEngine): Handlers {
  return {
    search: async (context) => {
      const { query, domain, tenant, ...asked } = await bodyOf(context, searchRequestSchema);
      const scope = narrow(callerOf(context), { domain, tenant });
      return context.json(searchToWire(await engine.search(query, { ...scope, ...asked, signal: context.req.raw.signal })));
    },
    check: async (context) => {
      const { question, answer, sources, documents, domain, tenant, profile } = await bodyOf(context, checkRequestSchema);
      const scope = narrow(callerOf(context), { domain, tenant });
      const options = { ...scope, sources, documents, profile, signal: context.req.raw.signal };
      return context.json(checkToWire(await engine.check(question, answer, options)));
    },
    query: async (context) => {
      const { query, domain, client } = await bodyOf(context, queryRequestSchema);
      const scope = narrow(callerOf(context), { domain, tenant: client });
      return context.json(queryToWire(await engine.answer(query, { ...scope, profile: "validator", signal: context.req.raw.signal })));
    },
  };
}

function fileHandlers(engine: LibraryEngine, { uploadFiles }: Pick<ServerLimits, "uploadFiles">): Handlers {
  const listed = (context: Context, asked: { domain?: string | undefined; tenant?: string | undefined }) =>
    engine.library(reachOf(callerOf(context), asked));
  return {
    documents: async (context) => {
      const { limit, cursor, ...asked } = queryOf(context, listQuerySchema);
      const { items, next_cursor } = paginate(await listed(context, asked), { limit, cursor });
      return context.json({ items: items.map(fileToWire), next_cursor });
    },
    documentStatus: async (context) => {
      const id = partOf(context, "id");
      const file = (await listed(context, queryOf(context, scopeQuerySchema))).find((one) => one.id === id);
      if (file === undefined) throw unknownFile();
      return context.json(fileToWire(file));
    },
    upload: async (context) => {
      const { access, ...asked } = queryOf(context, uploadQuerySchema);
      const caller = callerOf(context);
      const scope = narrow(caller, asked);
      const { domain, tenant } = scope;
      assertOwnTenant(caller, tenant);
      const label = access ?? caller.ownLabel ?? engine.domain(domain).documents.access;
      // What its sender could not see could never be looked after.
      if (!isAdministrator(caller) && !engine.scope(scope).access.includes(label)) throw scopeDenied();
      const uploaded = [];
      for (const file of await filesOf(context, uploadFiles)) {
        if (file.size > engine.config.file_bytes) throw tooLarge(file.name, engine.config.file_bytes);
        uploaded.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      }
      const kept = await engine.uploadAll(uploaded, { domain, tenant, label });
      return context.json({ items: kept.map(fileToWire) }, 202, { Location: `/v1/documents/${kept[0]?.id ?? ""}/status` });
    },
    deleteDocument: async (context) => {
      const caller = callerOf(context);
      const scope = reachOf(caller, queryOf(context, scopeQuerySchema));
      assertOwnTenant(caller, scope.tenant);
      if (!(await engine.deleteUpload(partOf(context, "id"), scope))) throw unknownFile();
      return context.body(null, 204);
    },
  };
}

/** Files of the form, at least one. @throws RequestError `upload_invalid` */
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

/** A key that is bound to tenants changes only what is theirs, never what others see. */
function assertOwnTenant({ tenants }: Caller, tenant: string | null | undefined): void {
  if (tenants !== null && tenants.length > 0 && (tenant === undefined || tenant === null)) throw scopeDenied();
}

function uploadInvalid(most: number, cause?: unknown): RequestError {
  const message = `Send 1–${most} files as multipart/form-data, each in a part "file": curl -F file=@letter.pdf`;
  return new RequestError("upload_invalid", message, {}, cause === undefined ? undefined : { cause });
}

function tooLarge(name: string, limit: number): RequestError {
  const message = `"${name}" is larger than ${limit} bytes, and nothing of this upload was taken: split it, or leave it out.`;
  return new RequestError("file_too_large", message, { name, limit_bytes: limit });
}

function unknownFile(): RequestError {
  return new RequestError("unknown_file", "There is no such file here: GET /v1/documents lists them.");
}
