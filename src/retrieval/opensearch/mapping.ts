import { z } from "zod";
import type { Chunk, Window } from "../../shared/types.ts";
import type { IndexedDocument } from "../../store/document-rows.ts";
import { sha256Hex } from "../../text/hash.ts";
import { FIELD_WEIGHTS } from "../indexed-windows.ts";

/** Version of the mapping. Increase it with every change of the mapping or of `tokenize`. Indexes with a lower version are rebuilt. */
export const MAPPING_VERSION = 1;

/** Maximum token length of OpenSearch's whitespace analyser. Longer tokens are not indexed. */
const TOKEN_LENGTH = 255;

/** HNSW parameters. `ef_construction` is twice Lucene's default, which raises recall; `lab/bench/opensearch.ts` compares both. */
const HNSW = { m: 16, ef_construction: 200 } as const;

/** Field with the words of title, description and text, in lower case and not stemmed. Used for spelling correction. */
export const WRITTEN_FIELD = "written";

const VECTOR_PREFIX = "vector_";

/** Returns the name of the field for the vectors of an encoder. */
export function vectorField(encoder: string): string {
  return VECTOR_PREFIX + sha256Hex(encoder).slice(0, 16);
}

export function isVectorField(name: string): boolean {
  return name.startsWith(VECTOR_PREFIX);
}

/** Returns the mapping of a vector field: inner product, which is the cosine of unit vectors. */
export function vectorMapping(dimension: number) {
  return { type: "knn_vector", dimension, method: { name: "hnsw", space_type: "innerproduct", engine: "lucene", parameters: HNSW } };
}

/** Converts the score of a vector search to an inner product (k-NN plugin, "Spaces": innerproduct in Lucene). */
export function innerProductOf(score: number): number {
  return score >= 1 ? score - 1 : 1 - 1 / score;
}

/**
 * Returns settings and mapping of an index. Automatic refresh is off. Writers refresh the index instead, so that a
 * search never sees the old and the new version of a document together.
 * @param meta version of the mapping, and id of the store whose documents are indexed
 */
export function indexDefinition(
  meta: { readonly version: number; readonly store: string },
  shards: number,
  vectors: Readonly<Record<string, number>> = {},
) {
  const keyword = { type: "keyword" };
  const integer = { type: "integer" };
  const text = { type: "text", index: false, copy_to: WRITTEN_FIELD };
  return {
    settings: {
      index: { number_of_shards: shards, auto_expand_replicas: "0-1", refresh_interval: "-1", knn: true },
      analysis: { analyzer: { written: { type: "custom", tokenizer: "standard", filter: ["lowercase"] } } },
    },
    mappings: {
      dynamic: false,
      _meta: { ...meta },
      _routing: { required: true },
      properties: {
        ...{ document_id: keyword, version: keyword, tenant: keyword, access: keyword, path: keyword, chunk_id: keyword },
        ...{ ordinal: integer, start: integer, place: { type: "integer_range" }, length: { type: "float" } },
        terms: { type: "text", analyzer: "whitespace", similarity: "BM25" },
        ...{ title: text, description: text, text },
        [WRITTEN_FIELD]: { type: "text", analyzer: "written", norms: false, index_options: "docs" },
        ...Object.fromEntries(Object.entries(vectors).map(([field, dimension]) => [field, vectorMapping(dimension)])),
      },
    },
  };
}

/** Fields that a search returns for each hit. */
export const HIT_FIELDS = ["document_id", "version", "path", "title", "text", "terms", "chunk", "window"] as const;

/** An indexed window. `window` is `[start, end, tokens]`. Offsets refer to the text of the document. */
export const windowSchema = z.object({
  ...{ document_id: z.string(), version: z.string(), path: z.string(), title: z.string(), text: z.string(), terms: z.string() },
  chunk: z.object({
    ...{ id: z.string(), ordinal: z.number(), start: z.number(), end: z.number(), tokens: z.number() },
    headings: z.array(z.string()),
    windows: z.array(z.tuple([z.number(), z.number(), z.number()])),
  }),
  window: z.tuple([z.number(), z.number(), z.number()]),
});
export type WindowSource = z.infer<typeof windowSchema>;

/** Returns the `_id` of a window in OpenSearch. It depends on the document's version, because a chunk's id does. */
export function windowKey(chunkId: string, start: number): string {
  return sha256Hex(JSON.stringify([chunkId, start])).slice(0, 40);
}

/** Returns the routing key of a document: its tenant, so that one shard has all documents of the tenant, or else its id. */
export function routingOf({ id, tenant }: Pick<IndexedDocument, "id" | "tenant">): string {
  return tenant ?? id;
}

/** Yields the windows of a document with their keys. @param tokens returns the index tokens of a text */
export function* windowsOf(
  document: IndexedDocument,
  tokens: (text: string) => string[],
): Generator<{ key: string; source: Readonly<Record<string, unknown>> }, void> {
  /** Repeats tokens as often as the weight of the field says, so that BM25 uses the weighted frequency and length. */
  const weighted = (part: string, weight: number) => {
    const found = tokens(part).filter(isIndexable);
    return Array.from({ length: weight }, () => found).flat();
  };
  const { id, version, tenant, access, path, title, description, text } = document;
  const above = [...weighted(title, FIELD_WEIGHTS.title), ...weighted(description ?? "", FIELD_WEIGHTS.description)];
  for (const chunk of document.chunks) {
    const headings = weighted(chunk.headingPath.join(" "), FIELD_WEIGHTS.headings);
    for (const window of chunk.windows) {
      const own = text.slice(window.start, window.end);
      const terms = [...above, ...headings, ...weighted(own, FIELD_WEIGHTS.body)];
      const source = {
        ...{ document_id: id, version, tenant: tenant ?? "", access, path, title, description, text: own, chunk_id: chunk.id },
        ...{ ordinal: chunk.ordinal, start: window.start, place: { gte: window.start, lt: Math.max(window.end, window.start + 1) } },
        ...{ terms: terms.join(" "), length: terms.length, chunk: packChunk(chunk), window: packWindow(window) },
      };
      yield { key: windowKey(chunk.id, window.start), source };
    }
  }
}

/** Returns false for a token that the analyser never produces. No indexed window can contain it. */
export function isIndexable(token: string): boolean {
  return token !== "" && token.length <= TOKEN_LENGTH && !/\s/.test(token) && token.isWellFormed();
}

function packChunk({ documentId: _, headingPath, windows, ...chunk }: Chunk): WindowSource["chunk"] {
  return { ...chunk, headings: [...headingPath], windows: windows.map(packWindow) };
}

function packWindow({ start, end, tokens }: Window): [number, number, number] {
  return [start, end, tokens];
}

export function unpackChunk(documentId: string, { headings, windows, ...chunk }: WindowSource["chunk"]): Chunk {
  return { ...chunk, documentId, headingPath: headings, windows: windows.map(unpackWindow) };
}

export function unpackWindow([start, end, tokens]: readonly [number, number, number]): Window {
  return { start, end, tokens };
}
