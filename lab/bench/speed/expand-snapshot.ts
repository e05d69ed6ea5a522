import { closeSync, openSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { readSnapshot, type Snapshot, withSnapshotFile } from "../../../src/retrieval/snapshot.ts";
import { createTextVectors } from "./generate.ts";

/** Bytes of the header, padded with spaces: it is written last, when the checksums are known. */
const HEADER_BYTES = 65_536;
const FIXED_BYTES = 16;
const ALIGNMENT = 64;
const DIGITS = 8;
const BLOCK_ROWS = 4_096;

type Numbers = Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
interface Expanding {
  readonly copies: number;
  readonly seed: number;
  readonly dimensions: number;
  readonly chunksPerDocument: number;
  readonly windowsPerChunk: number;
}

/**
 * Writes the snapshot of an index with many copies of the documents of another one. Copies have ids, titles and vectors of their own, so that
 * only their words repeat. Millions of chunks are made in a minute, where tokenizing them would take an hour.
 */
export function expandSnapshot(from: string, to: string, options: Expanding): void {
  withSnapshotFile(from, (file) => {
    const out = openSync(to, "w");
    try {
      write(readSnapshot(file), out, options);
    } finally {
      closeSync(out);
    }
  });
}

function write(snapshot: Snapshot, out: number, { copies, seed, dimensions, chunksPerDocument, windowsPerChunk }: Expanding): void {
  const described: { name: string; length: number; crc: number }[] = [];
  let position = HEADER_BYTES;
  const section = (name: string, pieces: Iterable<Numbers | Uint8Array>) => {
    let [length, crc] = [0, 0];
    const put = (piece: Uint8Array) => {
      for (let done = 0; done < piece.length; )
        done += writeSync(out, piece, done, Math.min(piece.length - done, 2 ** 26), position + done);
      if (piece.length > 0) crc = crc32(piece, crc);
      position += piece.length;
    };
    for (const { buffer, byteOffset, byteLength } of pieces) {
      put(new Uint8Array(buffer, byteOffset, byteLength));
      length += byteLength;
    }
    put(new Uint8Array(Math.ceil(length / ALIGNMENT) * ALIGNMENT - length));
    described.push({ name, length, crc });
  };
  const u32 = (name: string) => new Uint32Array(snapshot.section(name).buffer);
  const f64 = (name: string) => new Float64Array(snapshot.section(name).buffer);
  function* repeated<T>(make: (copy: number) => T): Generator<T, void> {
    for (let copy = 0; copy < copies; copy++) yield make(copy);
  }
  const same = (name: string) => section(name, [snapshot.section(name)]);
  const again = (name: string) => {
    const bytes = snapshot.section(name);
    section(
      name,
      repeated(() => bytes),
    );
  };
  /** Repeats rows of numbers; each copy adds to the columns in `shifts`. */
  const shifted = (name: string, width: number, shifts: Readonly<Record<number, number>>) => {
    const rows = u32(name);
    section(
      name,
      repeated((copy) => rows.map((value, i) => value + copy * (shifts[i % width] ?? 0))),
    );
  };
  const strings = (name: string, perCopy: (text: string, copy: number) => string) => {
    const bytes = Buffer.from(snapshot.section(name));
    const ends = f64(`${name}.ends`);
    const texts = Array.from(ends, (end, i) => bytes.toString("latin1", ends[i - 1] ?? 0, end));
    const length = texts.reduce((sum, text) => sum + perCopy(text, 0).length, 0);
    let at = 0;
    const own = Float64Array.from(texts, (text) => {
      at += perCopy(text, 0).length;
      return at;
    });
    section(
      name,
      repeated((copy) => Buffer.from(texts.map((text) => perCopy(text, copy)).join(""), "latin1")),
    );
    section(
      `${name}.ends`,
      repeated((copy) => own.map((end) => end + copy * length)),
    );
    again(`${name}.wide`);
  };

  const starts = u32("words.starts");
  const windows = u32("words.lengths").length;
  const documents = f64("ids.ends").length;
  const renamed = (text: string, copy: number) =>
    text.replace(/\d{8}/, (digits) => String(Number(digits) + copy * documents).padStart(DIGITS, "0"));
  for (const name of ["words.units", "words.ends", "words.table", "words.bounds"]) same(name);
  section("words.starts", [starts.map((start) => start * copies)]);
  const slots = u32("words.slots");
  section(
    "words.slots",
    (function* () {
      for (let term = 0; term + 1 < starts.length; term++) {
        const own = slots.subarray(starts[term], starts[term + 1]);
        const all = new Uint32Array(own.length * copies);
        for (let copy = 0; copy < copies; copy++)
          for (let i = 0; i < own.length; i++) all[copy * own.length + i] = (own[i] as number) + copy * windows;
        yield all;
      }
    })(),
  );
  const frequencies = u32("words.frequencies");
  section(
    "words.frequencies",
    (function* () {
      for (let term = 0; term + 1 < starts.length; term++) {
        const own = frequencies.subarray(starts[term], starts[term + 1]);
        const all = new Uint32Array(own.length * copies);
        for (let copy = 0; copy < copies; copy++) all.set(own, copy * own.length);
        yield all;
      }
    })(),
  );
  const [total = 0, average = 0] = f64("words.averages");
  section("words.averages", [Float64Array.of(total * copies, average)]);
  again("words.entryTerms");
  const entryStarts = u32("words.entryStarts");
  const entries = entryStarts.at(-1) as number;
  section(
    "words.entryStarts",
    (function* () {
      yield Uint32Array.of(0);
      yield* repeated((copy) => entryStarts.subarray(1).map((start) => start + copy * entries));
    })(),
  );
  again("words.lengths");
  for (const name of ["owners", "owners.ends", "owners.wide", "0.units", "0.ends", "0.table"]) same(`vocabulary.${name}`);
  section("vocabulary.0.documents", [u32("vocabulary.0.documents").map((count) => count * copies)]);
  strings("ids", renamed);
  for (const name of ["versions", "texts"]) strings(name, (text) => text);
  for (const name of ["owners", "owners.ends", "owners.wide"]) same(name);
  shifted("documents", 3, { 1: windows, 2: u32("documentWords").length });
  again("documentWords");
  strings("chunkIds", renamed);
  for (const name of ["headings", "headings.ends", "headings.wide"]) same(name);
  shifted("chunks", 6, { 5: windows });
  again("windows");

  const count = windows * copies;
  const vectorOf = createTextVectors(seed, dimensions);
  const perDocument = chunksPerDocument * windowsPerChunk;
  const scales = new Float32Array(count);
  const int8 = new Int8Array(count * dimensions);
  function* floats() {
    for (let first = 0; first < count; first += BLOCK_ROWS) {
      const rows = Math.min(BLOCK_ROWS, count - first);
      const block = new Float32Array(rows * dimensions);
      for (let i = 0, slot = first; i < rows; i++, slot++) {
        const vector = vectorOf(`Document ${Math.floor(slot / perDocument)}\n${slot}`);
        let largest = 0;
        for (let d = 0; d < dimensions; d++) largest = Math.max(largest, Math.abs(vector[d] as number));
        const scale = Math.fround(largest / 127);
        scales[slot] = scale;
        for (let d = 0; d < dimensions; d++) int8[slot * dimensions + d] = Math.round((vector[d] as number) / scale);
        block.set(vector, i * dimensions);
      }
      yield block;
    }
  }
  section("vectors.shape", [Uint32Array.of(dimensions, count)]);
  section("vectors.alive", [new Uint32Array(Math.ceil(count / 32)).fill(0xffffffff)]);
  section("vectors.floats", floats());
  section("vectors.scales", [scales]);
  section("vectors.int8", [new Uint8Array(int8.buffer)]);

  const facts = { ...snapshot.facts, encoder: "generated", vectors: count, revision: documents * copies };
  const json = Buffer.alloc(HEADER_BYTES - FIXED_BYTES, " ");
  json.write(JSON.stringify({ facts, sections: described }));
  const fixed = Buffer.from(snapshotHead(json));
  writeSync(out, fixed, 0, fixed.length, 0);
  writeSync(out, json, 0, json.length, FIXED_BYTES);
}

/** Returns the fixed part of a header. */
function snapshotHead(json: Uint8Array): ArrayBuffer {
  const head = new DataView(new ArrayBuffer(FIXED_BYTES));
  head.setUint32(0, 0x58494253, true);
  head.setUint32(4, 5, true);
  head.setUint32(8, json.length, true);
  head.setUint32(12, crc32(json), true);
  return head.buffer;
}
