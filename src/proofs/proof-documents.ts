import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { MAX_FILE_BYTES } from "../ingest/limits.ts";
import { type ParsedDocument, readDocuments } from "../ingest/parse.ts";
import { identify } from "../ingest/to-document.ts";
import { messageOf, RequestError, systemCodeOf } from "../shared/errors.ts";
import type { Passage, Quote } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { fileOfDocument } from "../text/paths.ts";
import { headingPathAt, type PassageSource, readPassage } from "../text/units.ts";
import { rootOf } from "./merkle.ts";
import { leafOf, type ProofDocument, type ProofPassage, type ProofStatement } from "./proof.ts";

/** Error: a statement in the proof is wrong. */
export class ProofFault extends Error {}

/** Error: the documents cannot be read, so nothing is known about the proof. */
export class DocumentsUnreadable extends RequestError {}

/** @throws DocumentsUnreadable */
export function assertDocuments(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const problem = found === undefined ? "does not exist" : "is not a folder";
  throw new DocumentsUnreadable("unknown_folder", `${folder} ${problem}. Give the folder of the documents named in the proof.`, { folder });
}

/**
 * Reads the documents of a proof from their files.
 * @throws ProofFault naming the first document that differs; DocumentsUnreadable
 */
export async function readProofDocuments(
  { documents, question, corpus }: Pick<ProofStatement, "documents" | "question" | "corpus">,
  folder: string,
): Promise<PassageSource[]> {
  const files = new Map<string, Promise<ParsedDocument[]>>();
  const read: PassageSource[] = [];
  for (const document of documents) {
    const file = fileOfDocument(document.path);
    const key = `${file} ${document.sha256}`;
    const parsed = files.get(key) ?? readDocuments({ path: file, bytes: findFile(folder, file, document.sha256) });
    files.set(key, parsed);
    read.push(asStated(document, await parsed));
    const { index, inclusion: path } = document;
    if (rootOf(leafOf(question.domain, document), { index, size: corpus.documents, path }) !== corpus.root)
      throw new ProofFault(`${document.path} is not in the corpus of the proof: its Merkle path leads to another root`);
  }
  return read;
}

/**
 * Finds a file in a folder by path and hash. The folder may be a subfolder of the one that was ingested, so the leading
 * folders of the path are skipped one by one.
 * @throws ProofFault when no file has the hash
 */
function findFile(folder: string, path: string, sha256: string): Uint8Array {
  const parts = path.split("/");
  if (path.includes("\0") || path.includes("\\") || parts.some((part) => ["", ".", ".."].includes(part)))
    throw new ProofFault(`"${path}" is not a path within a folder`);
  const root = realpathSync(folder);
  let isThere = false;
  for (let skipped = 0; skipped < parts.length; skipped++) {
    const bytes = readInside(root, join(root, ...parts.slice(skipped)));
    if (bytes !== null && sha256Hex(bytes) === sha256) return bytes;
    isThere ||= bytes !== null;
  }
  throw new ProofFault(isThere ? `${path} has changed since it was ingested` : `${path} is not in ${folder}`);
}

/** Error codes of files that exist but cannot be read. */
const UNREADABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EIO", "EMFILE", "ENFILE"]);

function readInside(root: string, path: string): Uint8Array | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > MAX_FILE_BYTES) return null;
    return realpathSync(path).startsWith(root + sep) ? readFileSync(path) : null;
  } catch (cause) {
    // The path comes from the proof. If it is invalid, that is a fault of the proof, so rethrow the error unchanged.
    if (!UNREADABLE.has(systemCodeOf(cause) ?? "")) throw cause;
    const message = `${path} cannot be read (${messageOf(cause)}). Check the file and its permissions.`;
    throw new DocumentsUnreadable("documents_unreadable", message, { path }, { cause });
  }
}

/** Returns the parsed document that the proof names. @throws ProofFault when its version or metadata differ */
function asStated(stated: ProofDocument, parsed: readonly ParsedDocument[]): PassageSource {
  const one = parsed.find(({ path }) => path === stated.path);
  if (one === undefined) throw new ProofFault(`the file of ${stated.path} does not contain this document`);
  const known = identify({ tenant: stated.tenant, access: stated.access }, one, { id: stated.id, urlOf: () => stated.url });
  const { version, title, url, asOf, access, normaliser } = known;
  const differs = Object.entries({ version, title, url, as_of: asOf, access, normaliser }).find(
    ([name, value]) => stated[name as keyof ProofDocument] !== value,
  );
  if (differs !== undefined) throw new ProofFault(`the ${differs[0]} of ${stated.path} is ${String(differs[1])}, not that of the proof`);
  return known;
}

function readProofPassage(stated: ProofPassage, documents: readonly PassageSource[]): Passage {
  const { sid, chunk, document: place, start, end, bounds, window, heading_path: headingPath, twins } = stated;
  const document = documentAt(documents, place);
  if (end > document.text.length || start > end) throw new ProofFault(`passage ${sid} is not inside its document`);
  if (!isChunkOf(chunk, document)) throw new ProofFault(`passage ${sid} belongs to another version of its document`);
  const scores = { dense: null, bm25: null, fused: 0, cross: null, rerank: null };
  const passage = readPassage(document, { sid, chunkId: chunk, range: { start, end }, bounds, window, scores, headingPath });
  if (passage === null) throw new ProofFault(`passage ${sid} is empty`);
  if (!standsUnder(headingPath, document, start)) throw new ProofFault(`the headings above passage ${sid} are not those in the proof`);
  if (window.start < start || window.end > end) throw new ProofFault(`the window of passage ${sid} is not inside the passage`);
  return twins.length === 0 ? passage : { ...passage, twins: twins.map((twin) => readNearDuplicate(twin, documents)) };
}

/**
 * Returns whether the stated headings are those above a passage. A chunk may begin with its own heading, so the path without
 * its last heading is accepted too.
 */
function standsUnder(stated: readonly string[], document: PassageSource, start: number): boolean {
  const path = headingPathAt(document, start);
  return [path, path.slice(0, -1)].some((one) => one.length === stated.length && one.every((name, i) => name === stated[i]));
}

function readNearDuplicate(
  { chunk, document: place, start, end, heading_path: headingPath }: ProofPassage["twins"][number],
  documents: readonly PassageSource[],
): NonNullable<Passage["twins"]>[number] {
  const document = documentAt(documents, place);
  if (end > document.text.length || start > end || !isChunkOf(chunk, document) || !standsUnder(headingPath, document, start))
    throw new ProofFault(`the near-duplicate passage ${chunk} is not in its document`);
  const { id, version, title, url, asOf } = document;
  return { chunkId: chunk, documentId: id, documentVersion: version, title, url, asOf, headingPath, range: { start, end } };
}

function isChunkOf(chunk: string, { id, version }: PassageSource): boolean {
  return chunk.replace(/\d+$/, "") === `${id}-${version.slice(0, 8)}-`;
}

/** Returns passages and quotes of a proof. Quotes are read from the documents and compared byte for byte. @throws ProofFault */
export function readProofQuotes(statement: Pick<ProofStatement, "passages" | "quotes">, documents: readonly PassageSource[]) {
  const byId = new Map(documents.map((document) => [document.id, document]));
  const passages = statement.passages.map((stated) => readProofPassage(stated, documents));
  const quotes = statement.quotes.map(({ passage: place, start, end, text, page, header }, i): Quote => {
    const passage = passages[place];
    const document = passage === undefined ? undefined : byId.get(passage.document.id);
    if (passage === undefined || document === undefined) throw new ProofFault(`quote ${i} belongs to no passage`);
    const { range } = passage;
    const isInside = start >= range.start && end <= range.end && start < end;
    if (!isInside || document.text.slice(start, end) !== text) throw new ProofFault(`quote ${i} is not at the place that the proof names`);
    const unit = passage.units.find((one) => one.end > start);
    if ((unit?.page ?? null) !== page) throw new ProofFault(`quote ${i} is not on the page that the proof names`);
    const quote = { passage, start, end, text };
    if (header === null) return quote;
    if (header.start > header.end || header.end > document.text.length)
      throw new ProofFault(`the header of quote ${i} is not inside its document`);
    return { ...quote, header: { ...header, text: document.text.slice(header.start, header.end) } };
  });
  return { passages, quotes };
}

function documentAt(documents: readonly PassageSource[], place: number): PassageSource {
  const document = documents[place];
  if (document === undefined) throw new ProofFault(`a passage names the document at index ${place}, which the proof does not list`);
  return document;
}
