import { crc32 } from "node:zlib";
import { z } from "zod";
import { messageOf, SourceboundError } from "../errors.ts";

/**
 * The file of an index: a head, then sections of bytes.
 *
 *   0   "SBIX"
 *   4   format version, u32
 *   8   length of the head's JSON, u32
 *   12  CRC-32 of everything after these 16 bytes, u32
 *   16  JSON: kind, facts, sections with their lengths; then the sections, each at a multiple of 64
 *
 * Numbers are little-endian, as in WebAssembly and on every machine that Node runs on today.
 */
export interface Snapshot {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Views on the bytes that were read; they begin at multiples of 8. */
  section(name: string): Uint8Array<ArrayBuffer>;
}

/** The file of an index cannot be used: build the index again. */
export class SnapshotError extends SourceboundError {}

/** Raised with every change that older readers would misread. */
const SNAPSHOT_VERSION = 1;
const MAGIC = 0x58494253;
const HEAD_BYTES = 16;
/** A cache line: sections read as any typed array. */
const ALIGNMENT = 64;

const headSchema = z.object({
  kind: z.string(),
  facts: z.record(z.string(), z.unknown()),
  sections: z.array(z.tuple([z.string(), z.number().int().nonnegative()])),
});

/** Bytes of one section, in pieces that follow each other. */
export type Section = readonly [name: string, pieces: readonly ArrayBufferView[]];

export function writeSnapshot(kind: string, facts: Record<string, unknown>, sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  const lengths = sections.map(([name, pieces]) => [name, pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)] as const);
  const json = new TextEncoder().encode(JSON.stringify({ kind, facts, sections: lengths }));
  let at = aligned(HEAD_BYTES + json.length);
  const bytes = new Uint8Array(lengths.reduce((end, [, length]) => aligned(end + length), at));
  bytes.set(json, HEAD_BYTES);
  for (const [, pieces] of sections) {
    for (const piece of pieces) {
      bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), at);
      at += piece.byteLength;
    }
    at = aligned(at);
  }
  const head = new DataView(bytes.buffer);
  head.setUint32(0, MAGIC, true);
  head.setUint32(4, SNAPSHOT_VERSION, true);
  head.setUint32(8, json.length, true);
  head.setUint32(12, crc32(bytes.subarray(HEAD_BYTES)), true);
  return bytes;
}

/**
 * Checks and opens a snapshot. The sections are views: the bytes must not change afterwards.
 * @throws SnapshotError when the file is foreign, of another version or kind, cut short or damaged
 */
export function readSnapshot(kind: string, given: Uint8Array): Snapshot {
  const bytes =
    given.byteOffset % 8 === 0 && given.buffer instanceof ArrayBuffer ? (given as Uint8Array<ArrayBuffer>) : new Uint8Array(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new SnapshotError("snapshot_foreign", "This is no index snapshot: build the index again.", { bytes: bytes.length });
  const version = view.getUint32(4, true);
  if (version !== SNAPSHOT_VERSION)
    throw new SnapshotError(
      "snapshot_version",
      `The index snapshot has format ${version}; this version reads ${SNAPSHOT_VERSION}: build the index again.`,
      { version },
    );
  const headEnd = HEAD_BYTES + view.getUint32(8, true);
  if (headEnd > bytes.length) throw cutShort(bytes.length, headEnd);
  const head = parseHead(bytes.subarray(HEAD_BYTES, headEnd));
  const places = new Map<string, readonly [number, number]>();
  let at = aligned(headEnd);
  for (const [name, length] of head.sections) {
    places.set(name, [at, length]);
    at = aligned(at + length);
  }
  if (at > bytes.length) throw cutShort(bytes.length, at);
  if (crc32(bytes.subarray(HEAD_BYTES, at)) !== view.getUint32(12, true)) throw damaged("its checksum differs");
  if (head.kind !== kind)
    throw new SnapshotError("snapshot_kind", `The index snapshot holds "${head.kind}", not "${kind}": build the index again.`, {
      kind: head.kind,
    });
  return {
    facts: head.facts,
    section(name) {
      const place = places.get(name);
      if (place === undefined) throw damaged(`section "${name}" is missing`);
      return bytes.subarray(place[0], place[0] + place[1]);
    },
  };
}

/** The facts of a snapshot, by schema. */
export function readFacts<T>(snapshot: Snapshot, schema: z.ZodType<T>): T {
  const facts = schema.safeParse(snapshot.facts);
  if (!facts.success) throw damaged(z.prettifyError(facts.error));
  return facts.data;
}

/** What to throw when a checked snapshot contradicts itself. */
export function damaged(how: string, options?: ErrorOptions): SnapshotError {
  return new SnapshotError("snapshot_damaged", `The index snapshot is damaged: ${how}. Build the index again.`, {}, options);
}

function parseHead(bytes: Uint8Array): z.infer<typeof headSchema> {
  try {
    return headSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw damaged(`its head does not parse: ${messageOf(cause)}`, { cause });
  }
}

function cutShort(bytes: number, needed: number): SnapshotError {
  return new SnapshotError(
    "snapshot_truncated",
    `The index snapshot is cut short: ${bytes} of at least ${needed} bytes. Build the index again.`,
    { bytes, needed },
  );
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}
