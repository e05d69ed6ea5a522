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
import { type Caller, callerOf, narrow, scopeDenied } from "../access/caller.ts";
import type { Handlers } from "../mount.ts";
import { paginate } from "../page.ts";
import { bodyOf, partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type LibraryEngine = Pick<Engine, "answer" | "search" | "check" | "library" | "upload" | "deleteUpload" | "scope" | "config">;

/** Most files of one upload. */
const MAX_FILES = 20;

/** Documents and what is done with them beside asking. */
export function libraryHandlers(engine: LibraryEngine): Handlers {
  return { ...findingHandlers(engine), ...fileHandlers(engine) };
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

function fileHandlers(engine: LibraryEngine): Handlers {
  const listed = (context: Context, asked: { domain?: string | undefined; tenant?: string | undefined }) =>
    engine.library(narrow(callerOf(context), asked));
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
      const { access: label, ...asked } = queryOf(context, uploadQuerySchema);
      const caller = callerOf(context);
      const { domain, tenant } = narrow(caller, asked);
      assertOwn(caller, tenant, label);
      const uploaded = [];
      for (const file of await filesOf(context)) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        if (bytes.length > engine.config.file_bytes) throw tooLarge(engine.config.file_bytes);
        uploaded.push({ name: file.name, bytes });
      }
      const kept = [];
      for (const file of uploaded) kept.push(await engine.upload(file, { domain, tenant, label: label ?? ownLabel(caller) }));
      return context.json({ items: kept.map(fileToWire) }, 202, { Location: `/v1/documents/${kept[0]?.id ?? ""}/status` });
    },
    deleteDocument: async (context) => {
      const caller = callerOf(context);
      const scope = narrow(caller, queryOf(context, scopeQuerySchema));
      assertOwn(caller, scope.tenant ?? undefined, undefined);
      if (!(await engine.deleteUpload(partOf(context, "id"), scope))) throw unknownFile();
      return context.body(null, 204);
    },
  };
}

/** Files of the form, at least one. @throws RequestError `upload_invalid` */
async function filesOf(context: Context): Promise<File[]> {
  const type = context.req.header("content-type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data")) throw uploadInvalid();
  const form = await context.req.formData().catch((cause: unknown) => {
    throw uploadInvalid(cause);
  });
  const files = form.getAll("file").filter((entry): entry is File => typeof entry !== "string");
  if (files.length === 0 || files.length > MAX_FILES || [...form.keys()].some((key) => key !== "file")) throw uploadInvalid();
  return files;
}

/** A key that is bound to tenants or labels changes only what is theirs, never what others see. */
function assertOwn({ tenants, access }: Caller, tenant: string | null | undefined, label: string | undefined): void {
  const shared = tenants !== null && tenants.length > 0 && (tenant === undefined || tenant === null);
  const foreign = label !== undefined && access !== null && !access.includes(label);
  if (shared || foreign) throw scopeDenied();
}

/** The label under which a key's files are kept where it names none: the first that it has. */
function ownLabel({ access }: Caller): string | undefined {
  return access?.[0];
}

function uploadInvalid(cause?: unknown): RequestError {
  const message = `Send 1–${MAX_FILES} files as multipart/form-data, each in a part "file": curl -F file=@letter.pdf`;
  return new RequestError("upload_invalid", message, {}, cause === undefined ? undefined : { cause });
}

function tooLarge(limit: number): RequestError {
  return new RequestError("file_too_large", `A file is larger than ${limit} bytes: split it.`, { limit_bytes: limit });
}

function unknownFile(): RequestError {
  return new RequestError("unknown_file", "There is no such file here: GET /v1/documents lists them.");
}
