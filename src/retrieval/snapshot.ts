import { closeSync, fstatSync, openSync } from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { messageOf, SourceboundError } from "../shared/errors.ts";
import { bytesIn, inMemory, readInto, type ScratchFile, type StoredBytes } from "./scratch-file.ts";

/**
 * File format of an index: a header, then sections of bytes.
 *
 * - 0: "SBIX"
 * - 4: format version, u32
 * - 8: length of the header's JSON, u32
 * - 12: CRC-32 of the header's JSON, u32
 * - 16: the JSON: facts, and name, length and CRC-32 of each section
 * - then the sections, each at an offset that is a multiple of 64. Padding (spaces after the JSON, zeros after a
 * section) is included in the checksums.
 *
 * Numbers in the header are little-endian. Each section is verified when it is read, so that a large one can be read
 * directly into its destination.
 */
export interface Snapshot {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Returns the length of a section in bytes. */
  bytes(name: string): number;
  /** Returns a copy of a section, aligned for any typed array. */
  section(name: string): Uint8Array<ArrayBuffer>;
  /** Copies a section into the targets, one after the other. Their total length must equal that of the section. */
  copy(name: string, targets: readonly Piece[]): void;
  /** Returns the sections whose names begin with a prefix. Their names in the result lack the prefix. */
  part(prefix: string): Snapshot;
}

export interface SnapshotFile {
  readonly bytes: number;
  /** Fills the target from a position in the file. */
  read(position: number, target: Uint8Array): void;
}

/** Thrown if an index file cannot be used and must be built again. */
export class SnapshotError extends SourceboundError {}

/** Version of the file format. Increment it with every change that older programs would misread. */
const SNAPSHOT_VERSION = 5;
const MAGIC = 0x58494253;
const HEAD_BYTES = 16;
const SPACE = 0x20;
/** Alignment of sections in bytes: the size of a cache line, which is enough for any typed array. */
const ALIGNMENT = 64;

const headSchema = z.object({
  facts: z.record(z.string(), z.unknown()),
  sections: z.array(z.object({ name: z.string(), length: z.number().int().nonnegative(), crc: z.number().int().nonnegative() })),
});

/** An array in memory, or bytes that are read when needed. */
export type Piece = Uint8Array | StoredBytes;

/** Name and bytes of one section, in consecutive parts. */
export type Section = readonly [name: string, pieces: readonly (ArrayBufferView | StoredBytes)[]];

/** Returns the bytes of a snapshot file in consecutive parts. Large sections are not copied. */
export function snapshotPieces(facts: Record<string, unknown>, sections: readonly Section[]): Piece[] {
  const described = sections.map(([name, pieces]) => {
    const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const crc = filled(pieces, length).reduce(checksum, 0);
    return { name, length, crc };
  });
  const text = new TextEncoder().encode(JSON.stringify({ facts, sections: described }));
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

function checksum(before: number, piece: Piece): number {
  let sum = before;
  for (let at = 0; at < piece.byteLength; at += COPY_BYTES)
    sum = crc32(bytesIn(piece, at, Math.min(COPY_BYTES, piece.byteLength - at)), sum);
  return sum;
}

/**
 * Pads a section with zeros to the alignment. The result may contain empty arrays. Checksums must skip them, because
 * Node's `crc32` restarts on some empty arrays.
 */
function filled(pieces: Section[1], length: number): Piece[] {
  const whole = pieces.map((piece) => (ArrayBuffer.isView(piece) ? bytesIn(piece) : piece));
  return [...whole, new Uint8Array(aligned(length) - length)];
}

/**
 * Opens a snapshot and verifies its header. Each section is verified when it is read.
 * @throws SnapshotError when the file is foreign, of another version or damaged; reading a section throws it too
 */
export function readSnapshot(file: SnapshotFile): Snapshot {
  const { facts, places } = readHead(file);
  const place = (name: string): Place => {
    const found = places.get(name);
    if (found === undefined) throw damaged(`section "${name}" is missing`);
    return found;
  };
  const copy = (name: string, targets: readonly Piece[]) => copySection(file, name, place(name), targets);
  const part = (prefix: string): Snapshot => ({
    facts,
    bytes: (name) => place(prefix + name).length,
    section(name) {
      const bytes = new Uint8Array(place(prefix + name).length);
      copy(prefix + name, [bytes]);
      return bytes;
    },
    copy: (name, targets) => copy(prefix + name, targets),
    part: (more) => part(prefix + more),
  });
  return part("");
}

/**
 * Returns the facts of a snapshot, and the place of each section.
 * @throws SnapshotError when the header is not valid
 */
function readHead(file: SnapshotFile) {
  const fixed = new Uint8Array(HEAD_BYTES);
  if (file.bytes >= HEAD_BYTES) file.read(0, fixed);
  const view = new DataView(fixed.buffer);
  if (view.getUint32(0, true) !== MAGIC)
    throw new SnapshotError("snapshot_foreign", "The file is not an index snapshot. The index is rebuilt automatically.", {
      bytes: file.bytes,
    });
  const version = view.getUint32(4, true);
  if (version !== SNAPSHOT_VERSION) {
    const message = `The index snapshot has format ${version}, but this version reads ${SNAPSHOT_VERSION}. It is rebuilt automatically.`;
    throw new SnapshotError("snapshot_version", message, { version });
  }
  const headEnd = HEAD_BYTES + view.getUint32(8, true);
  if (headEnd > file.bytes) throw cutShort(file.bytes, headEnd);
  const json = new Uint8Array(headEnd - HEAD_BYTES);
  file.read(HEAD_BYTES, json);
  if (crc32(json) !== view.getUint32(12, true)) throw damaged("the checksum of its header is wrong");
  let head: z.infer<typeof headSchema>;
  try {
    head = headSchema.parse(JSON.parse(new TextDecoder().decode(json)));
  } catch (cause) {
    throw damaged(`its header is invalid: ${messageOf(cause)}`, { cause });
  }
  const places = new Map<string, Place>();
  let at = aligned(headEnd);
  for (const { name, length, crc } of head.sections) {
    places.set(name, { at, length, crc });
    at += aligned(length);
  }
  if (at > file.bytes) throw cutShort(file.bytes, at);
  return { facts: head.facts, places };
}

/** Runs `use` on an open file and closes it afterwards. */
export function withSnapshotFile<T>(path: string, use: (file: SnapshotFile) => T): T {
  const descriptor = openSync(path, "r");
  const read = (position: number, target: Uint8Array) => {
    const done = readInto(descriptor, position, target);
    if (done < target.length) throw cutShort(position + done, position + target.length);
  };
  try {
    return use({ bytes: fstatSync(descriptor).size, read });
  } finally {
    closeSync(descriptor);
  }
}

type Place = Readonly<Record<"at" | "length" | "crc", number>>;

/** Number of bytes read at once. They fit into the processor's cache, from which the checksum then reads them. */
const COPY_BYTES = 256 * 1024;

function copySection(file: SnapshotFile, name: string, { at, length, crc }: Place, targets: readonly Piece[]): void {
  if (targets.reduce((sum, { byteLength }) => sum + byteLength, 0) !== length) throw damaged(`section "${name}" has a wrong length`);
  let position = at;
  let sum = 0;
  for (const target of [...targets, new Uint8Array(aligned(length) - length)]) {
    for (let done = 0; done < target.byteLength; done += COPY_BYTES) {
      const count = Math.min(COPY_BYTES, target.byteLength - done);
      const piece = ArrayBuffer.isView(target) ? bytesIn(target, done, count) : new Uint8Array(count);
      file.read(position, piece);
      sum = crc32(piece, sum);
      position += count;
      if (!ArrayBuffer.isView(target)) target.write(done, piece);
    }
  }
  if (sum !== crc) throw damaged(`the checksum of section "${name}" is wrong`);
}

/** Returns the facts of a snapshot, checked by a schema. */
export function readFacts<T>(snapshot: Snapshot, schema: z.ZodType<T>): T {
  const facts = schema.safeParse(snapshot.facts);
  if (!facts.success) throw damaged(z.prettifyError(facts.error));
  return facts.data;
}

/** Returns the error for a snapshot with a wrong checksum or inconsistent contents. @param fault description of the fault */
export function damaged(fault: string, options?: ErrorOptions): SnapshotError {
  return new SnapshotError("snapshot_damaged", `The index snapshot is damaged: ${fault}. It is rebuilt automatically.`, {}, options);
}

function cutShort(bytes: number, needed: number): SnapshotError {
  const message = `The index snapshot is truncated: it has ${bytes} of at least ${needed} bytes. It is rebuilt automatically.`;
  return new SnapshotError("snapshot_truncated", message, { bytes, needed });
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}

/** Maximum bytes of a column of strings that is in memory. A larger one is in a file, if one can be created. */
const MEMORY_BYTES = 2 ** 28;

/** Constructor of `Uint32Array`, `Float32Array` and the like. */
interface NumberArray<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): A;
}

/** For a record of typed-array constructors, the record of their instances. */
export type ArraysOf<Types> = { readonly [Name in keyof Types]: Types[Name] extends NumberArray<infer A> ? A : never };

/** Returns a section as an array of numbers. */
export function arrayIn<A>(snapshot: Snapshot, name: string, type: NumberArray<A>): A {
  const bytes = snapshot.section(name);
  return new type(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / type.BYTES_PER_ELEMENT));
}

/** Serialises arrays, one section each. */
export function arraySections(arrays: Readonly<Record<string, ArrayBufferView>>): Section[] {
  return Object.entries(arrays).map(([name, array]) => [name, [array]]);
}

/** Reads the arrays that `arraySections` wrote. */
export function arraysIn<Types extends Readonly<Record<string, NumberArray<unknown>>>>(snapshot: Snapshot, types: Types): ArraysOf<Types> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, arrayIn(snapshot, name, type)])) as ArraysOf<Types>;
}

/** Adds a prefix to the names of sections. `Snapshot.part` removes it. */
export function prefixed(prefix: string, sections: readonly Section[]): Section[] {
  return sections.map(([name, pieces]) => [prefix + name, pieces]);
}

/**
 * Serialises strings, each in Latin-1 if possible, else in UTF-16. The JavaScript engine uses both internally. So
 * reading is a plain copy, and every string comes back with the same code units.
 */
export function stringSections(name: string, strings: readonly string[]): Section[] {
  const ends = new Float64Array(strings.length);
  const wide = Uint8Array.from(strings, (text) => Number(WIDE.test(text)));
  const bytes = strings.map(encoded);
  for (const [i, { length }] of bytes.entries()) ends[i] = (ends[i - 1] ?? 0) + length;
  return [[name, [Buffer.concat(bytes)]], ...prefixed(`${name}.`, arraySections({ ends, wide }))];
}

/** Serialises strings like `stringSections`, but does not store their bytes: each string is requested again when its bytes are needed. */
export function longStringSections(name: string, strings: readonly (() => string)[]): Section[] {
  const ends = new Float64Array(strings.length);
  const wide = new Uint8Array(strings.length);
  const pieces = strings.map((text, i): StoredBytes => {
    const whole = text();
    const { length } = encoded(whole);
    wide[i] = Number(WIDE.test(whole));
    ends[i] = (ends[i - 1] ?? 0) + length;
    return inMemory(() => encoded(text()), length);
  });
  return [[name, pieces], ...prefixed(`${name}.`, arraySections({ ends, wide }))];
}

const WIDE = /[^\0-\xff]/;

function encoded(text: string): Buffer {
  return Buffer.from(text, WIDE.test(text) ? "utf16le" : "latin1");
}

/** Strings of a snapshot, decoded on access. */
export class StringColumn {
  private readonly bytes: Piece;
  private readonly ends: Float64Array;
  private readonly wide: Uint8Array;

  /**
   * @param createFile creates the file for a column of more than `memoryBytes` bytes. @default null: always in memory
   * @throws SnapshotError when its sections are damaged
   */
  constructor(snapshot: Snapshot, name: string, createFile: (() => ScratchFile) | null = null, memoryBytes = MEMORY_BYTES) {
    const length = snapshot.bytes(name);
    this.bytes = createFile === null || length <= memoryBytes ? new Uint8Array(length) : createFile().part(0, length);
    snapshot.copy(name, [this.bytes]);
    this.ends = arrayIn(snapshot, `${name}.ends`, Float64Array);
    this.wide = snapshot.section(`${name}.wide`);
    if (this.wide.length !== this.ends.length || length !== (this.ends.at(-1) ?? 0)) throw damaged(`"${name}" has wrong string lengths`);
  }

  get length(): number {
    return this.ends.length;
  }

  get(i: number): string {
    return this.slice(i, 0, Number.POSITIVE_INFINITY);
  }

  /** Decodes a part of string `i`, like `String.slice` with non-negative integers. */
  slice(i: number, from: number, to: number): string {
    const start = i === 0 ? 0 : (this.ends[i - 1] as number);
    const end = this.ends[i] as number;
    const width = this.wide[i] === 1 ? 2 : 1;
    const at = (place: number) => Math.min(start + place * width, end);
    const { buffer, byteOffset, byteLength } = bytesIn(this.bytes, at(from), at(to) - at(from));
    return Buffer.from(buffer, byteOffset, byteLength).toString(width === 2 ? "utf16le" : "latin1");
  }
}

/** Returns the distinct values, and for each input the index of its value. */
export function numbered(values: readonly string[]): { values: string[]; numbers: number[] } {
  const known = new Map<string, number>();
  const numbers = values.map((value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
  return { values: [...known.keys()], numbers };
}

/** Serialises rows of numbers below 2³², one after the other. */
export function numberSection(name: string, rows: readonly (readonly number[])[]): Section {
  return [name, [Uint32Array.from(rows.flat())]];
}
