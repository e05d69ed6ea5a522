import { chunkDocument } from "../../src/ingest/chunk.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import type { Encoder } from "../../src/models/encoder.ts";
import { DomainIndex } from "../../src/retrieval/domain-index.ts";
import { EmbeddedEngine } from "../../src/retrieval/embedded-engine.ts";
import type { SyncOptions } from "../../src/retrieval/encoder-switch.ts";
import type { Scope } from "../../src/shared/types.ts";
import type { IndexedDocument } from "../../src/store/document-rows.ts";
import type { DocumentStore } from "../../src/store/documents.ts";
import type { EmbeddingStore } from "../../src/store/embeddings.ts";
import type { RetrievalDocument } from "./retrieval-sets.ts";

/** Creates the product's index over documents without a store. A document's scope becomes its tenant. */
export async function createMemoryCorpus(
  documents: readonly RetrievalDocument[],
  encoder: Encoder | null,
  options: Pick<SyncOptions, "signal" | "onEmbed"> = {},
): Promise<DomainIndex> {
  const indexed = new Map(documents.map((document) => [document.id, toIndexed(document)]));
  const store: Pick<DocumentStore, "revision" | "heads" | "changedSince" | "loadForIndex"> = {
    revision: async () => 1,
    heads: async () => indexed,
    changedSince: async () => [],
    loadForIndex: async (_domain, ids) => ids.flatMap((id) => indexed.get(id) ?? []),
  };
  const embeddings: EmbeddingStore = { get: async () => new Map(), put: async () => undefined };
  const corpus = new DomainIndex({
    domain: "set",
    engine: new EmbeddedEngine({ domain: "set" }),
    documents: store,
    embeddings,
    encoder,
    batch: 256,
  });
  await corpus.sync(options);
  return corpus;
}

/** Returns the access scope for the documents of one scope of a set. */
export function scopeInSet(tenant: string | null): Scope {
  return { domain: "set", tenant, access: ["public"] };
}

function toIndexed({ id, title, text, scope, description = "", path = "document.txt" }: RetrievalDocument): IndexedDocument {
  const [parsed] = parseFile({ path, bytes: Buffer.from(text) });
  const chunks = parsed === undefined ? [] : chunkDocument(parsed);
  return {
    id,
    version: "1",
    tenant: scope,
    access: "public",
    path: id,
    title,
    description: description || null,
    text: parsed?.text ?? "",
    chunks: chunks.map((chunk) => ({ ...chunk, id: `${id}-${chunk.ordinal}`, documentId: id })),
  };
}
