import type { StoredDocument } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { chunkId, httpUrl } from "../text/paths.ts";
import { NORMALISER_VERSION } from "../text/source-map.ts";
import {
  CHUNK_MAX_TOKENS,
  CHUNK_MIN_TOKENS,
  CHUNK_OVERLAP_TOKENS,
  CHUNK_TARGET_TOKENS,
  type ChunkDraft,
  chunkDocument,
  WINDOW_MAX_TOKENS,
  WINDOW_MIN_TOKENS,
} from "./chunk.ts";
import { FORMATS_VERSION } from "./formats/formats.ts";
import type { Recogniser } from "./formats/pdf/recognise.ts";
import { type ParsedDocument, readDocuments } from "./parse.ts";

/** Settings that affect chunks. If one of them changes, every document gets a new version. */
export const CHUNK_SETTINGS: readonly number[] = [
  CHUNK_TARGET_TOKENS,
  CHUNK_MAX_TOKENS,
  CHUNK_MIN_TOKENS,
  CHUNK_OVERLAP_TOKENS,
  WINDOW_MIN_TOKENS,
  WINDOW_MAX_TOKENS,
];

/**
 * Domain, tenant, access label and source for a document. An access label that the document states itself takes
 * precedence over `access`.
 */
export interface DocumentOwner {
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: string;
  readonly source: string;
}

/** Creates the stored document for a parsed document: adds id, version, domain, source and chunk ids. */
export function toDocument(
  owner: DocumentOwner,
  parsed: DocumentDraft,
  { id, urlOf }: { readonly id: string; readonly urlOf: (path: string) => string | null },
): StoredDocument {
  const known = identify(owner, parsed, { id, urlOf });
  return {
    ...known,
    domain: owner.domain,
    source: owner.source,
    chunks: parsed.chunks.map((draft) => ({ ...draft, id: chunkId(id, known.version, draft.ordinal), documentId: id })),
  };
}

/** Returns a parsed document with id and version, without chunks. */
export function identify(
  { tenant, access: given }: Pick<DocumentOwner, "tenant" | "access">,
  parsed: ParsedDocument,
  { id, urlOf }: { readonly id: string; readonly urlOf: (path: string) => string | null },
): Omit<StoredDocument, "domain" | "source" | "chunks"> {
  const metadata = { ...parsed.metadata, url: httpUrl(parsed.metadata.url) ?? urlOf(parsed.path) };
  const access = parsed.access ?? given;
  const { text, path, originalHash } = parsed;
  const version = sha256Hex(
    JSON.stringify([text, metadata, tenant, access, CHUNK_SETTINGS, NORMALISER_VERSION, FORMATS_VERSION, originalHash, path]),
  );
  return {
    ...metadata,
    ...{ id, tenant, access, path, originalHash, version, text },
    normaliser: NORMALISER_VERSION,
    blocks: parsed.blocks,
    units: parsed.units,
    sourceMap: parsed.sourceMap,
    pages: parsed.pages,
    reading: parsed.reading,
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
