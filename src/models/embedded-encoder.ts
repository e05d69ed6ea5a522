import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ModelError, messageOf, systemCodeOf } from "../errors.ts";
import { createWordpiece } from "./wordpiece.ts";

/** The tokens of a text, for scoring word against word. */
export interface TokenVectors {
  /** Vocabulary ids in reading order. */
  ids: Int32Array;
  /** One unit vector per token, row after row: `ids.length × dimensions`. */
  vectors: Float32Array;
  /** How much each token counts in the text's own vector (frequent words count little). */
  weights: Float32Array;
}

/** A static text encoder: a text is the normalised sum of its tokens' rows. Same text, same vector, on every machine. */
export interface EmbeddedEncoder {
  /** Changes with the weights: vectors of different ids must never be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** L2-normalised vectors; all zeros for a text without tokens. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  embedSync(texts: readonly string[]): Float32Array[];
  tokenVectors(text: string): TokenVectors;
}

const MAGIC = "SBENC001";

const headerSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  rows: z.int().positive(),
  dimensions: z.int().positive(),
  vocabulary: z.int().positive(),
  hash_rows: z.int().positive(),
  sha256: z.string(),
});

/**
 * Loads the encoder that ships with the package (8 MB, no network, about 50 ms); checks its hash.
 *
 * @param options.path another weights file of the same format
 * @throws {ModelError} `encoder_missing` | `encoder_corrupt` when the file is absent, cut short or altered
 * @example
 * const encoder = loadEmbeddedEncoder();
 * const [vector] = encoder.embedSync(["How do I appeal?"]);
 */
export function loadEmbeddedEncoder(options: { path?: string } = {}): EmbeddedEncoder {
  const path = options.path ?? shippedPath();
  const { header, scales, rows, lengths, pieces } = readWeights(path);
  const { dimensions } = header;
  const wordpiece = createWordpiece(pieces, header.hash_rows);

  // Rows in full precision: four times the bytes, but no conversion in the inner loop.
  const table = new Float32Array(rows.length);
  for (let row = 0, at = 0; row < header.rows; row++) {
    const scale = scales[row] as number;
    for (let end = at + dimensions; at < end; at++) table[at] = (rows[at] as number) * scale;
  }

  function embedOne(text: string): Float32Array {
    const sum = new Float32Array(dimensions);
    const count = wordpiece.encode(text);
    const ids = wordpiece.ids;
    let i = 0;
    for (; i + 3 < count; i += 4) {
      const a = (ids[i] as number) * dimensions;
      const b = (ids[i + 1] as number) * dimensions;
      const c = (ids[i + 2] as number) * dimensions;
      const d = (ids[i + 3] as number) * dimensions;
      for (let j = 0; j < dimensions; j++) {
        sum[j] =
          (sum[j] as number) +
          ((table[a + j] as number) + (table[b + j] as number) + ((table[c + j] as number) + (table[d + j] as number)));
      }
    }
    for (; i < count; i++) {
      const a = (ids[i] as number) * dimensions;
      for (let j = 0; j < dimensions; j++) sum[j] = (sum[j] as number) + (table[a + j] as number);
    }
    return normalise(sum);
  }

  function embedSync(texts: readonly string[]): Float32Array[] {
    return texts.map(embedOne);
  }

  function tokenVectors(text: string): TokenVectors {
    const count = wordpiece.encode(text);
    const ids = wordpiece.ids.slice(0, count);
    const vectors = new Float32Array(count * dimensions);
    const weights = new Float32Array(count);
    for (const [i, id] of ids.entries()) {
      const weight = lengths[id] as number;
      weights[i] = weight;
      for (let j = 0; j < dimensions; j++) vectors[i * dimensions + j] = weight > 0 ? (table[id * dimensions + j] as number) / weight : 0;
    }
    return { ids, vectors, weights };
  }

  return {
    id: `${header.name}-${header.recipe}-${header.sha256.slice(0, 12)}`,
    dimensions,
    embed: async (texts) => embedSync(texts),
    embedSync,
    tokenVectors,
  };
}

function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let j = 0; j < vector.length; j++) squares += (vector[j] as number) * (vector[j] as number);
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let j = 0; j < vector.length; j++) vector[j] = (vector[j] as number) * factor;
  return vector;
}

/** Beside this module in the sources; in the sources again when this module runs from `dist`. */
function shippedPath(): string {
  const places = ["./embedded/encoder.bin", "../../src/models/embedded/encoder.bin", "../../../src/models/embedded/encoder.bin"];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return files.find((file) => existsSync(file)) ?? (files[0] as string);
}

interface Weights {
  header: z.infer<typeof headerSchema>;
  scales: Float32Array;
  rows: Int8Array;
  lengths: Float32Array;
  pieces: string[];
}

/** The layout stands in `training/encoder/weights.py`. */
function readWeights(path: string): Weights {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = systemCodeOf(error) === "ENOENT" ? "encoder_missing" : "encoder_unreadable";
    const message = `the encoder's weights ${path} cannot be read (${messageOf(error)}): reinstall the package, or give the path of a weights file`;
    throw new ModelError(code, message, { path }, { cause: error });
  }
  const corrupt = (what: string, cause?: unknown) =>
    new ModelError(
      "encoder_corrupt",
      `the encoder's weights ${path} are damaged (${what}): reinstall the package, or make them again with training/encoder`,
      { path, bytes: bytes.length },
      { cause },
    );
  if (bytes.length < 12 || Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== MAGIC) throw corrupt(`no ${MAGIC} mark`);
  const start = 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  if (start > bytes.length) throw corrupt("the header is cut short");
  let header: Weights["header"];
  try {
    header = headerSchema.parse(JSON.parse(Buffer.from(bytes.subarray(12, start)).toString("utf8")));
  } catch (error) {
    throw corrupt("the header is not readable", error);
  }
  const payload = bytes.slice(start);
  if (createHash("sha256").update(payload).digest("hex") !== header.sha256) throw corrupt("its hash differs from the one in its header");
  const { rows, dimensions, vocabulary, hash_rows } = header;
  const fixed = rows * (dimensions + 8);
  const pieces = Buffer.from(payload.subarray(Math.min(fixed, payload.length)))
    .toString("utf8")
    .split("\n");
  if (payload.length <= fixed || pieces.length !== vocabulary || rows !== vocabulary + hash_rows) throw corrupt("its parts do not add up");
  return {
    header,
    scales: floats(payload, 0, rows),
    rows: new Int8Array(payload.buffer, payload.byteOffset + rows * 4, rows * dimensions),
    lengths: floats(payload, rows * (4 + dimensions), rows),
    pieces,
  };
}

/** Little-endian floats at any offset. */
function floats(bytes: Uint8Array, offset: number, count: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(i * 4, true));
}
