import { bytesIn } from "../../src/retrieval/scratch-file.ts";
import { readSnapshot, type Section, type Snapshot, snapshotPieces } from "../../src/retrieval/snapshot.ts";

export function snapshotBytes(sections: readonly Section[]): Uint8Array {
  return Buffer.concat(snapshotPieces({}, sections).map((piece) => bytesIn(piece)));
}

export function snapshotIn(bytes: Uint8Array): Snapshot {
  const read = (position: number, target: Uint8Array) => target.set(bytes.subarray(position, position + target.length));
  return readSnapshot({ bytes: bytes.length, read });
}
