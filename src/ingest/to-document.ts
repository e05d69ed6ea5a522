import type { StoredDocument } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { chunkId, httpUrl } from "../text/paths.ts";
import { NORMALISER_VERSION } from "../text/source-map.ts";
import { CHUNK_SETTINGS, type ChunkDraft, chunkDocument } from "./chunk.ts";
import { FORMATS_VERSION } from "./formats/formats.ts";
import type { Recogniser } from "./formats/pdf/recognise.ts";
import { type ParsedDocument, readDocuments } from "./parse.ts";

/**
 * Domain, tenant, access label and source for a document. An access label that the document states itself takes
 * precedence over `access`.
 */
export type DocumentOwner = Pick<StoredDocument, "domain" | "tenant" | "access" | "source">;

/** The id of a document, and a function that returns the web address of a document that states none. */
interface Identity {
  readonly id: string;
  readonly urlOf: (path: string) => string | null;
}

/** Creates the stored document for a parsed document: adds id, version, domain, source and chunk ids. */
export function toDocument(owner: DocumentOwner, parsed: DocumentDraft, { id, urlOf }: Identity): StoredDocument {
  const known = identify(owner, parsed, { id, urlOf });
  const chunks = parsed.chunks.map((draft) => ({ ...draft, id: chunkId(id, known.version, draft.ordinal), documentId: id }));
  return { ...known, domain: owner.domain, source: owner.source, chunks };
}

/** Returns a parsed document with id and version, without chunks. */
export function identify(
  { tenant, access: given }: Pick<DocumentOwner, "tenant" | "access">,
  parsed: ParsedDocument,
  { id, urlOf }: Identity,
): Omit<StoredDocument, "domain" | "source" | "chunks"> {
  const metadata = { ...parsed.metadata, url: httpUrl(parsed.metadata.url) ?? urlOf(parsed.path) };
  const access = parsed.access ?? given;
  const { text, path, originalHash, blocks, units, sourceMap, pages, reading } = parsed;
  const version = sha256Hex(
    JSON.stringify([text, metadata, tenant, access, CHUNK_SETTINGS, NORMALISER_VERSION, FORMATS_VERSION, originalHash, path]),
  );
  return {
    ...metadata,
    ...{ id, tenant, access, path, originalHash, version, text },
    ...{ normaliser: NORMALISER_VERSION, blocks, units, sourceMap, pages, reading },
  };
}

/** A parsed document with its chunks, before it gets an id. */
export interface DocumentDraft extends ParsedDocument {
  readonly chunks: readonly ChunkDraft[];
}

/**
 * Parses and chunks a file.
 * @param recogniser recognises text in pictures; callers may pass one to use it for several files
 */
export async function draftDocuments(
  file: { readonly path: string; readonly bytes: Uint8Array },
  recogniser: Recogniser | null = null,
): Promise<DocumentDraft[]> {
  return (await readDocuments(file, recogniser)).map((parsed) => ({ ...parsed, chunks: chunkDocument(parsed) }));
}
