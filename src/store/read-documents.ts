import type { Kysely } from "kysely";
import type { Block, BlockType, Chunk, Reading, StoredDocument, Unit, Window } from "../types.ts";
import type { Database } from "./schema.ts";

/** Documents as they stand in their rows, with the file of each, whoever may see them. */
export async function readDocumentRows(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<{ readonly file: string; readonly document: StoredDocument }[]> {
  const rows = await db.selectFrom("documents").selectAll().where("id", "in", ids).execute();
  const chunks = await loadChunks(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    file: row.file,
    document: {
      id: row.id,
      domain: row.domain,
      tenant: row.tenant === "" ? null : row.tenant,
      access: row.access,
      source: row.source,
      path: row.path,
      title: row.title,
      description: row.description,
      url: row.url,
      asOf: row.as_of,
      authority: row.authority as StoredDocument["authority"],
      topic: row.topic,
      subtopic: row.subtopic,
      type: row.type as StoredDocument["type"],
      originalHash: row.original_hash,
      version: row.version,
      normaliser: row.normaliser,
      text: row.text,
      blocks: (JSON.parse(row.blocks) as [number, number, BlockType, number, number, (number | null)?, number?][]).map(
        ([start, end, type, level, header, runIn = null, sectionEnd]): Block => ({
          start,
          end,
          type,
          level,
          header,
          ...(runIn === null ? {} : { runIn }),
          ...(sectionEnd === undefined ? {} : { sectionEnd }),
        }),
      ),
      units: (JSON.parse(row.units) as [number, number, BlockType, number][]).map(
        ([start, end, type, block]): Unit => ({ start, end, type, block }),
      ),
      sourceMap: JSON.parse(row.source_map) as number[],
      pages: row.pages === null ? null : (JSON.parse(row.pages) as number[]),
      ...(row.reading === null ? {} : { reading: JSON.parse(row.reading) as Reading }),
      chunks: chunks.get(row.id) ?? [],
    },
  }));
}

/** Chunks by their document. */
export async function loadChunks(db: Kysely<Database>, documentIds: readonly string[]): Promise<Map<string, Chunk[]>> {
  const rows = await db
    .selectFrom("chunks")
    .selectAll()
    .where("document_id", "in", documentIds)
    .orderBy("document_id")
    .orderBy("ordinal")
    .execute();
  const byDocument = new Map<string, Chunk[]>();
  for (const row of rows) {
    const windows = (JSON.parse(row.windows) as [number, number, number][]).map(([start, end, tokens]): Window => ({ start, end, tokens }));
    const chunk: Chunk = {
      id: row.id,
      documentId: row.document_id,
      ordinal: row.ordinal,
      start: row.start,
      end: row.end,
      tokens: row.tokens,
      headingPath: JSON.parse(row.heading_path) as string[],
      windows,
    };
    const list = byDocument.get(row.document_id);
    if (list === undefined) byDocument.set(row.document_id, [chunk]);
    else list.push(chunk);
  }
  return byDocument;
}
