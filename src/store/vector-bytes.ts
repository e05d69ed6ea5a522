/** A vector as it is stored: little-endian float32. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** libsql returns blobs as ArrayBuffer, PostgreSQL as a view of a larger buffer: copied, so that the bytes are its own and aligned. */
export function bytesToVector(blob: unknown): Float32Array {
  return new Float32Array(Uint8Array.from(blob instanceof ArrayBuffer ? new Uint8Array(blob) : (blob as Uint8Array)).buffer);
}
