import type { Context } from "hono";
import { DEFAULT_DOMAIN } from "../../config.ts";
import { aboutDocuments } from "../../engine/answer-parts.ts";
import { listDomains } from "../../engine/domain.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ScopeOptions } from "../../engine/engine-types.ts";
import { unknownDocument } from "../../engine/uploads.ts";
import { createExampleFinder, type FindExamples } from "../../engine/packs/example-questions.ts";
import { RequestError } from "../../errors.ts";
import { bringsGolden } from "../../grade/choose-sets.ts";
import { profiles } from "../../profiles/index.ts";
import { mayBeShown } from "../../remember/named-documents.ts";
import { httpUrl } from "../../text/http-url.ts";
import { originalPlaceOf } from "../../text/original-place.ts";
import { outlineOf } from "../../text/outline.ts";
import type { Answer, Scope, StoredDocument, Warning } from "../../types.ts";
import { originalToWire } from "../../wire/answer-to-wire.ts";
import { citationStatesToWire } from "../../wire/citation-states.ts";
import { answerToWire } from "../../wire/index.ts";
import type { WireCaller, WireDocument, WireDomain, WireDomains } from "../../wire/responses.ts";
import { documentQuerySchema } from "../../wire/rooms.ts";
import { type Caller, callerOf, covers, narrow, reachOf } from "../access/caller.ts";
import { type ServerLimits, uploadLimits } from "../limits.ts";
import type { Handlers } from "../mount.ts";
import { queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type RoomsEngine = Pick<Engine, "citationStates" | "config" | "counts" | "domain" | "memory" | "reach" | "scope" | "store">;

/** What the page needs beside answers: who asks, what there is to ask of, an answer that was given, a whole document. */
export function roomHandlers(engine: RoomsEngine, limits: ServerLimits): Handlers {
  const examples = createExampleFinder(engine.store.documents);
  return {
    whoami: (context) => {
      const { keyId, roles } = callerOf(context);
      const uploads = roles.has("ingest") ? { uploads: uploadLimits(limits, engine.config.file_bytes) } : {};
      const caller: WireCaller = { key_id: keyId, roles: [...roles].sort(), ...uploads };
      return unstored(context).json(caller);
    },
    domains: async (context) => unstored(context).json(await listReachable(engine, callerOf(context), examples)),
    answer: async (context) => {
      const answer = await answerFor(engine, callerOf(context), idOf(context, "answer"));
      return unstored(context).json(answerToWire(answer));
    },
    citations: async (context) => {
      const { answer, options } = await answerOf(engine, callerOf(context), idOf(context, "answer"));
      return unstored(context).json(citationStatesToWire(answer.id, await engine.citationStates(answer, options)));
    },
    document: async (context) => {
      const { start, end, version, ...named } = queryOf(context, documentQuerySchema);
      const id = idOf(context, "document");
      const scope = await engine.reach(reachOf(callerOf(context), named));
      const current = (await engine.store.documents.load(scope, [id])).get(id);
      if (current === undefined) throw unknownDocument(id);
      const document = version === undefined || version === current.version ? current : await pastVersion(engine, scope, id, version);
      const range = start !== undefined && end !== undefined && start < end && end <= document.text.length ? { start, end } : null;
      return unstored(context).json(documentToWire(document, range));
    },
  };
}

/** A document as it was, to whoever could have seen it then. @throws RequestError `unknown_document` */
async function pastVersion(engine: RoomsEngine, scope: Scope, id: string, version: string): Promise<StoredDocument> {
  const [past] = await engine.store.corpusLog.past(scope.domain, new Map([[id, version]]));
  if (past !== undefined && scope.access.includes(past.document.access)) return past.document;
  const message = "The text of this version is not kept: only what a recorded answer may rest on is. Leave out `version` for today's.";
  throw new RequestError("unknown_document", message, { id });
}

/** What was written for one asker is kept by nobody on the way. */
function unstored(context: Context): Context {
  context.header("Cache-Control", "no-store");
  return context;
}

function idOf(context: Context, of: "answer" | "document"): string {
  const id = context.req.param("id") ?? "";
  if (id.length > 100) throw new RequestError(`unknown_${of}`, `There is no such ${of} here: its id has ${id.length} characters.`);
  return id;
}

/**
 * Domains that hold documents for the caller, and the one that is meant where none is named.
 * @param examples finds questions to try where the pack names none; `null`: nobody looks at them
 */
export async function listReachable(engine: RoomsEngine, caller: Caller, examples: FindExamples | null): Promise<WireDomains> {
  const { config } = engine;
  const meant = caller.domains?.[0] ?? config.domain;
  const names = listDomains(config.domains_dir).filter((name) => caller.domains === null || caller.domains.includes(name));
  const found = await Promise.all(names.map((name) => describeDomain(engine, caller, name, examples)));
  const domains = found
    .filter((one) => one !== null)
    .filter(({ name, documents }) => documents > 0 || name === meant)
    .map((one) => ({ ...one, default: one.name === meant }));
  return { domains, profiles: profiles.map(({ name, title }) => ({ name, title })) };
}

async function describeDomain(
  engine: RoomsEngine,
  caller: Caller,
  domain: string,
  examples: FindExamples | null,
): Promise<Omit<WireDomain, "default"> | null> {
  const pack = packOf(engine, domain);
  if (pack === null) return null;
  const tenants = Object.entries(pack.tenants).filter(([name]) => caller.tenants === null || caller.tenants.includes(name));
  const own: ScopeOptions = narrow({ ...caller, tenants: caller.tenants?.slice(0, 1) ?? null }, { domain });
  // A key for a tenant of another domain reaches nothing of this one.
  if (own.tenant !== undefined && own.tenant !== null && !Object.hasOwn(pack.tenants, own.tenant)) return null;
  const scope = engine.scope(own);
  const { documents } = await engine.counts(scope);
  return {
    ...{
      ...{ name: domain, title: pack.title, documents },
      description:
        documents > 0 && domain === DEFAULT_DOMAIN ? `${await aboutDocuments(pack, scope, engine.store.documents)}.` : pack.description,
      examples: pack.examples.length > 0 ? pack.examples : ((await examples?.(scope)) ?? []),
      golden: bringsGolden(domain, engine.config.domains_dir),
    },
    profile: engine.config.profile ?? pack.default_profile,
    tenants: tenants.map(([name, { title }]) => ({ name, title })),
  };
}

/** `null`: the pack has faults; `sourcebound doctor` says which, and questions to it say so too. */
function packOf(engine: RoomsEngine, domain: string) {
  try {
    return engine.domain(domain);
  } catch {
    return null;
  }
}

/** Said of an answer that a person judged after it was given. */
const FLAGGED: Warning = {
  code: "flagged",
  message: "A reviewer has flagged this answer as wrong or doubtful: do not rely on it. Ask the question again.",
};

/** An answer as it was given, to whoever could be given it today: one that rests on documents that are still there. Everything else was never there. */
async function answerFor(engine: RoomsEngine, caller: Caller, id: string): Promise<Answer> {
  const { answer, options, isFlagged } = await answerOf(engine, caller, id);
  if (!(await mayBeShown(answer, engine.scope(options), engine.store.documents))) throw unknownAnswer(id);
  return { ...answer, sessionId: null, warnings: isFlagged ? [FLAGGED, ...answer.warnings] : answer.warnings };
}

/** An answer of the caller's domain, tenant and labels, whatever became of its documents since: nothing of its text may be shown. */
async function answerOf(
  engine: RoomsEngine,
  caller: Caller,
  id: string,
): Promise<{ readonly answer: Answer; readonly options: ScopeOptions; readonly isFlagged: boolean }> {
  const shown = await engine.memory.review.show(id).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === "unknown_interaction") return null;
    throw error;
  });
  const correction = shown?.curated?.status === "served" ? shown.curated.answer : null;
  const answer = correction ?? shown?.answer ?? null;
  if (shown === null || answer === null || !covers(caller, shown)) throw unknownAnswer(id);
  const options = narrow(caller, { domain: shown.domain, tenant: shown.tenant ?? undefined });
  const scope = engine.scope(options);
  if (scope.tenant !== shown.tenant || !shown.access.every((label) => scope.access.includes(label))) throw unknownAnswer(id);
  return { answer, options, isFlagged: correction === null && shown.reviewStatus === "flagged" };
}

function unknownAnswer(id: string): RequestError {
  const message =
    "There is no such answer here: it was forgotten, rests on a document that is gone, or is not open to you. Ask the question again.";
  return new RequestError("unknown_answer", message, { id });
}

function documentToWire(document: StoredDocument, range: { start: number; end: number } | null): WireDocument {
  const { id, version, domain, tenant, title, description, path, text, blocks, pages = null, reading } = document;
  const places = range === null ? undefined : originalToWire(originalPlaceOf(document, range)).pages;
  return {
    ...{ id, version, domain, tenant, title, description, path, text },
    url: httpUrl(document.url),
    as_of: document.asOf,
    format: reading?.format ?? null,
    sha256: document.originalHash,
    blocks: blocks.map(({ start, end, type, level, header }) => [start, end, type, level, header] as const),
    outline: outlineOf(text, blocks),
    pages: pages === null ? null : [...pages],
    ...(places === undefined ? {} : { places }),
    notices: (reading?.notices ?? []).map(({ pages: on, ...notice }) => ({ ...notice, ...(on === undefined ? {} : { pages: [...on] }) })),
  };
}
