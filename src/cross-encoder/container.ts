import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ModelError, messageOf, systemCodeOf } from "../shared/errors.ts";
import { MAGIC, MAX_HEADER_BYTES, PREFIX_BYTES } from "./weights-file.ts";

/** An open weights file. */
export interface Container<Header> {
  readonly header: Header;
  readonly payloadBytes: number;
  /** Reads all tensors into `payload` and returns the SHA-256 of the file's content. */
  read(payload: Buffer): string;
  /** Creates the error for a damaged file. @param what the damage */
  corrupt(what: string, cause?: unknown): ModelError;
}

/**
 * Opens a weights file and closes it after `use`. `lab/train/reader/weights.py` describes the format.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`
 */
export function openContainer<Header, T>(
  path: string,
  schema: { parse(value: unknown): Header },
  use: (container: Container<Header>) => T,
): T {
  const corrupt = (fault: string, cause?: unknown) =>
    new ModelError(
      "reader_corrupt",
      `the weights of the cross-encoder, ${path}, are damaged (${fault}). Reinstall Sourcebound, or replace the file with an undamaged copy`,
      { path },
      { cause },
    );
  const file = openWeights(path);
  try {
    const size = fstatSync(file).size;
    const prefix = readExactly(file, 0, Buffer.alloc(Math.min(PREFIX_BYTES, size)));
    if (size < PREFIX_BYTES || prefix.toString("latin1", 0, 8) !== MAGIC) throw corrupt(`it does not begin with ${MAGIC}`);
    const headerBytes = prefix.readUInt32LE(40);
    if (headerBytes > MAX_HEADER_BYTES || PREFIX_BYTES + headerBytes > size) throw corrupt("the header is truncated");
    const headerText = readExactly(file, PREFIX_BYTES, Buffer.alloc(headerBytes));
    return use({
      header: parseOr(headerText, schema, (error) => corrupt(`the header is not readable: ${messageOf(error)}`, error)),
      payloadBytes: size - PREFIX_BYTES - headerBytes,
      read(payload) {
        readExactly(file, PREFIX_BYTES + headerBytes, payload);
        const hash = createHash("sha256").update(prefix.subarray(40)).update(headerText).update(payload).digest();
        if (!hash.equals(prefix.subarray(8, 40))) throw corrupt("its hash differs from the stored one");
        return hash.toString("hex");
      },
      corrupt,
    });
  } finally {
    closeSync(file);
  }
}

function openWeights(path: string): number {
  try {
    const file = openSync(path, "r");
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error("it is not a file");
  } catch (error) {
    const code = systemCodeOf(error) === "ENOENT" ? "reader_missing" : "reader_unreadable";
    const message = `the weights of the cross-encoder, ${path}, cannot be read (${messageOf(error)}). Reinstall Sourcebound, or correct the path`;
    throw new ModelError(code, message, { path }, { cause: error });
  }
}

function readExactly<T extends Buffer>(file: number, from: number, into: T): T {
  for (let done = 0; done < into.length; ) {
    const count = readSync(file, into, done, into.length - done, from + done);
    if (count === 0)
      throw new ModelError("reader_corrupt", "the weights of the cross-encoder were changed while they were read. Try again");
    done += count;
  }
  return into;
}

function parseOr<Header>(text: Buffer, schema: { parse(value: unknown): Header }, failure: (error: unknown) => ModelError): Header {
  try {
    return schema.parse(JSON.parse(text.toString("utf8")));
  } catch (error) {
    throw failure(error);
  }
}
