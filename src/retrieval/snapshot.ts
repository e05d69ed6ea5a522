import { closeSync, fstatSync, openSync, readSync, read as readWithCallback } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { messageOf, SourceboundError } from "../shared/errors.ts";

/**
 * File format of an index: a header, then sections of bytes.
 *
 *   0   "SBIX"
 *   4   format version, u32
 *   8   length of the header's JSON, u32
 *   12  CRC-32 of the header's JSON, u32
 *   16  JSON: kind, facts, and name, length and CRC-32 of each section; then the sections. Each begins at a multiple
 *       of 64: the JSON is padded with spaces, a section with zeros, which the checksums cover
 *
 * Numbers are little-endian, as in WebAssembly and on every machine that Node supports today. Each section is verified
 * when it is read, so that a large one can be read directly to its destination.
 */
export interface Snapshot {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Returns the length of a section in bytes. */
  bytes(name: string): number;
  /** Returns a section, aligned to 8 bytes. For a snapshot in memory it is a view, so the memory must not change. */
  section(name: string): Uint8Array<ArrayBuffer>;
  /** Copies a section into consecutive arrays of exactly its length. */
  copy(name: string, targets: readonly Uint8Array[]): void;
  /** Returns a section that is itself a snapshot with its own checks. */
  inner(name: string): Uint8Array | SnapshotFile;
  /** Reads sections on other threads. They are in memory once it resolves. */
  preload(names: readonly string[]): Promise<void>;
}

/** A snapshot that is not in memory. */
export interface SnapshotFile {
  readonly bytes: number;
  /** Fills the target from a position in the file. */
  read(position: number, target: Uint8Array): void;
  /** The same as `read`, on another thread. */
  readLater(position: number, target: Uint8Array): Promise<void>;
}

/** The index file cannot be used and must be built again. */
export class SnapshotError extends SourceboundError {}

/** Increment it with every change that older readers would misread. */
const SNAPSHOT_VERSION = 4;
const MAGIC = 0x58494253;
const HEAD_BYTES = 16;
const SPACE = 0x20;
/** Size of a cache line, which aligns sections for any typed array. */
const ALIGNMENT = 64;

const headSchema = z.object({
  kind: z.string(),
  facts: z.record(z.string(), z.unknown()),
  sections: z.array(z.object({ name: z.string(), length: z.number().int().nonnegative(), crc: z.number().int().nonnegative() })),
});

/** Bytes of one section, in consecutive parts. */
export type Section = readonly [name: string, pieces: readonly ArrayBufferView[]];

export function writeSnapshot(kind: string, facts: Record<string, unknown>, sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  const pieces = snapshotPieces(kind, facts, sections);
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Returns the bytes of a snapshot in consecutive parts, without a second copy of large sections. */
export function snapshotPieces(kind: string, facts: Record<string, unknown>, sections: readonly Section[]): Uint8Array[] {
  const described = sections.map(([name, pieces]) => {
    const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const crc = filled(pieces, length).reduce((sum, piece) => (piece.length === 0 ? sum : crc32(piece, sum)), 0);
    return { name, length, crc };
  });
  const text = new TextEncoder().encode(JSON.stringify({ kind, facts, sections: described }));
  const head = new Uint8Array(aligned(HEAD_BYTES + text.length)).fill(SPACE);
  head.set(text, HEAD_BYTES);
  const json = head.subarray(HEAD_BYTES);
  const fixed = new DataView(head.buffer);
  fixed.setUint32(0, MAGIC, true);
  fixed.setUint32(4, SNAPSHOT_VERSION, true);
  fixed.setUint32(8, json.length, true);
  fixed.setUint32(12, crc32(json), true);
  return [head, ...sections.flatMap(([, pieces], i) => filled(pieces, described[i]?.length ?? 0))];
}

/**
 * Pads the parts of a section with zeros. The result may contain empty arrays, which checksums must skip: Node's
 * `crc32` restarts on some of them.
 */
function filled(pieces: readonly ArrayBufferView[], length: number): Uint8Array[] {
  return [...pieces.map(bytesOf), new Uint8Array(aligned(length) - length)];
}

/**
 * Opens a snapshot and verifies its header. Each section is verified when it is read.
 * @throws SnapshotError when it is foreign, of another version or kind, truncated or damaged; reading a section throws it too
 */
export function readSnapshot(kind: string, from: Uint8Array | SnapshotFile): Snapshot {
  const file = from instanceof Uint8Array ? memoryFile(from) : from;
  const { facts, places } = readHead(kind, file);
  const place = (name: string): Place => {
    const found = places.get(name);
    if (found === undefined) throw damaged(`section "${name}" is missing`);
    return found;
  };
  const loaded = new Map<string, Uint8Array<ArrayBuffer>>();
  const inMemory = (name: string) => {
    const { at, length } = place(name);
    return loaded.get(name) ?? viewOf(from, at, aligned(length));
  };
  const copy = (name: string, targets: readonly Uint8Array[]) => copySection(file, name, place(name), targets);
  return {
    facts,
    bytes: (name) => place(name).length,
    section(name) {
      const { length, crc } = place(name);
      const filled = inMemory(name);
      if (filled !== null) {
        if (crc32(filled) !== crc) throw damaged(`the checksum of section "${name}" differs`);
        return filled.subarray(0, length);
      }
      const bytes = new Uint8Array(length);
      copy(name, [bytes]);
      return bytes;
    },
    copy,
    inner(name) {
      const { at, length } = place(name);
      return inMemory(name)?.subarray(0, length) ?? partOf(file, at, length);
    },
    async preload(names) {
      const reads = names.map(async (name) => {
        const { at, length } = place(name);
        const bytes = new Uint8Array(aligned(length));
        await file.readLater(at, bytes);
        loaded.set(name, bytes);
      });
      const failed = (await Promise.allSettled(reads)).find((read) => read.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

interface Head {
  readonly facts: Snapshot["facts"];
  readonly places: ReadonlyMap<string, Place>;
}

/**
 * Returns the kind of a snapshot and the places of its sections.
 * @throws SnapshotError when the header is not valid
 */
function readHead(kind: string, file: SnapshotFile): Head {
  const fixed = new Uint8Array(HEAD_BYTES);
  if (file.bytes >= HEAD_BYTES) file.read(0, fixed);
  const view = new DataView(fixed.buffer);
  if (view.getUint32(0, true) !== MAGIC)
    throw new SnapshotError("snapshot_foreign", "The file is not an index snapshot. Build the index again.", { bytes: file.bytes });
  const version = view.getUint32(4, true);
  if (version !== SNAPSHOT_VERSION)
    throw new SnapshotError(
      "snapshot_version",
      `The index snapshot has format ${version}, but this version reads ${SNAPSHOT_VERSION}. Build the index again.`,
      { version },
    );
  const headEnd = HEAD_BYTES + view.getUint32(8, true);
  if (headEnd > file.bytes) throw cutShort(file.bytes, headEnd);
  const json = new Uint8Array(headEnd - HEAD_BYTES);
  file.read(HEAD_BYTES, json);
  if (crc32(json) !== view.getUint32(12, true)) throw damaged("the checksum of its header differs");
  const head = parseHead(json);
  if (head.kind !== kind)
    throw new SnapshotError("snapshot_kind", `The index snapshot contains "${head.kind}", not "${kind}". Build the index again.`, {
      kind: head.kind,
    });
  const places = new Map<string, Place>();
  let at = aligned(headEnd);
  for (const { name, length, crc } of head.sections) {
    places.set(name, { at, length, crc });
    at += aligned(length);
  }
  if (at > file.bytes) throw cutShort(file.bytes, at);
  return { facts: head.facts, places };
}

/** Returns a file inside another one. */
function partOf(file: SnapshotFile, at: number, length: number): SnapshotFile {
  const inside = (position: number, target: Uint8Array) => {
    if (position + target.length > length) throw cutShort(length, position + target.length);
    return at + position;
  };
  return {
    bytes: length,
    read: (position, target) => file.read(inside(position, target), target),
    readLater: async (position, target) => file.readLater(inside(position, target), target),
  };
}

/** Runs `use` on an open file and closes it afterwards. */
export function withSnapshotFile<T>(path: string, use: (file: SnapshotFile) => T): T {
  const descriptor = openSync(path, "r");
  try {
    return use(openedFile(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** The same as `withSnapshotFile` for asynchronous work. */
export async function whileSnapshotFile<T>(path: string, use: (file: SnapshotFile) => Promise<T>): Promise<T> {
  const descriptor = openSync(path, "r");
  try {
    return await use(openedFile(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function openedFile(descriptor: number): SnapshotFile {
  return {
    bytes: fstatSync(descriptor).size,
    read(position, target) {
      for (let done = 0; done < target.length; ) {
        const read = readSync(descriptor, target, done, target.length - done, position + done);
        if (read === 0) throw cutShort(position + done, position + target.length);
        done += read;
      }
    },
    async readLater(position, target) {
      for (let done = 0; done < target.length; ) {
        const { bytesRead } = await readOnThread(descriptor, target, done, target.length - done, position + done);
        if (bytesRead === 0) throw cutShort(position + done, position + target.length);
        done += bytesRead;
      }
    },
  };
}

const readOnThread = promisify(readWithCallback);

interface Place {
  readonly at: number;
  readonly length: number;
  readonly crc: number;
}

/** Number of bytes read at once, small enough to stay in the processor's cache for the checksum. */
const COPY_BYTES = 256 * 1024;

function copySection(file: SnapshotFile, name: string, { at, length, crc }: Place, targets: readonly Uint8Array[]): void {
  if (targets.reduce((sum, target) => sum + target.length, 0) !== length) throw damaged(`section "${name}" has ${length} bytes`);
  let position = at;
  let sum = 0;
  for (const target of [...targets, new Uint8Array(aligned(length) - length)]) {
    for (let done = 0; done < target.length; done += COPY_BYTES) {
      const piece = target.subarray(done, done + COPY_BYTES);
      file.read(position, piece);
      sum = crc32(piece, sum);
      position += piece.length;
    }
  }
  if (sum !== crc) throw damaged(`the checksum of section "${name}" differs`);
}

function memoryFile(bytes: Uint8Array): SnapshotFile {
  return {
    bytes: bytes.length,
    read: (position, target) => target.set(bytes.subarray(position, position + target.length)),
    readLater: async (position, target) => target.set(bytes.subarray(position, position + target.length)),
  };
}

/** Returns a view on bytes in memory if they are aligned for typed arrays, else `null`. */
function viewOf(from: Uint8Array | SnapshotFile, at: number, length: number): Uint8Array<ArrayBuffer> | null {
  if (!(from instanceof Uint8Array) || from.byteOffset % 8 !== 0 || !(from.buffer instanceof ArrayBuffer)) return null;
  return new Uint8Array(from.buffer, from.byteOffset + at, length);
}

/** Parses the facts of a snapshot by schema. */
export function readFacts<T>(snapshot: Snapshot, schema: z.ZodType<T>): T {
  const facts = schema.safeParse(snapshot.facts);
  if (!facts.success) throw damaged(z.prettifyError(facts.error));
  return facts.data;
}

/** Returns the error for a verified snapshot that is inconsistent. */
export function damaged(how: string, options?: ErrorOptions): SnapshotError {
  return new SnapshotError("snapshot_damaged", `The index snapshot is damaged: ${how}. Build the index again.`, {}, options);
}

function parseHead(bytes: Uint8Array): z.infer<typeof headSchema> {
  try {
    return headSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw damaged(`its header is invalid: ${messageOf(cause)}`, { cause });
  }
}

function cutShort(bytes: number, needed: number): SnapshotError {
  return new SnapshotError(
    "snapshot_truncated",
    `The index snapshot is truncated: ${bytes} of at least ${needed} bytes. Build the index again.`,
    { bytes, needed },
  );
}

/** Constructor of `Uint32Array`, `Float32Array` and the like. */
interface NumberArray<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): A;
}

/** Returns a typed array that shares the bytes. */
export function arrayOf<A>(type: NumberArray<A>, bytes: Uint8Array<ArrayBuffer>): A {
  return new type(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / type.BYTES_PER_ELEMENT));
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}
