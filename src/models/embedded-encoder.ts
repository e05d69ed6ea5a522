import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import { ModelError, messageOf, systemCodeOf } from "../shared/errors.ts";
import { whileHeld } from "../text/memo.ts";
import { createWordpiece } from "../text/wordpiece.ts";

/**
 * The embedded encoder, shared by all engines and checks of the process.
 * @throws {ModelError} `encoder_missing` | `encoder_unreadable` | `encoder_corrupt`
 */
export const sharedEncoder = whileHeld(() => loadEmbeddedEncoder());

/**
 * A static text encoder that ignores word order. Each distinct token of a text has an embedding row. Its weight is the
 * token's count in the text, raised to a power from the weights file (0.5). The vector of the text is the weighted sum of
 * the rows, scaled to length 1. The same text has the same vector on every machine.
 */
export interface EmbeddedEncoder {
  /** Identifies the weights. Vectors of encoders with different ids must never be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** Returns vectors of length 1. The vector of a text without tokens is all zeros. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  embedSync(texts: readonly string[]): Float32Array[];
}

const MAGIC = "SBENC002";

const headerSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  rows: z.int().positive(),
  dimensions: z.int().positive(),
  vocabulary: z.int().positive(),
  hash_rows: z.int().positive(),
  bits: z.literal(4),
  repeat_power: z.number().min(0).max(1),
  sha256: z.string(),
});

/**
 * Loads the embedded encoder (8 MB, about 50 ms, no network access) and verifies its hash.
 * @param options.path another weights file of the same format
 * @throws {ModelError} `encoder_missing` | `encoder_unreadable` | `encoder_corrupt`
 * @example
 * const encoder = loadEmbeddedEncoder();
 * const [vector] = encoder.embedSync(["How do I appeal?"]);
 */
export function loadEmbeddedEncoder(options: { path?: string } = {}): EmbeddedEncoder {
  const path = options.path ?? join(PACKAGE_ROOT, "src/models/weights/encoder.bin");
  const { header, scales, codes, pieces } = readWeights(path);
  const { dimensions } = header;
  const wordpiece = createWordpiece(pieces, { hashRows: header.hash_rows });
  const factors = Float64Array.from({ length: 64 }, (_, count) => count ** header.repeat_power);
  /** Count of each row's token in the current text. All zero between texts. */
  const counts = new Int32Array(header.rows);
  const sum = new Float64Array(dimensions);

  function embedOne(text: string): Float32Array {
    const total = wordpiece.encode(text);
    const ids = wordpiece.ids;
    let distinct = 0;
    for (let i = 0; i < total; i++) {
      const id = ids[i] as number;
      if (counts[id] === 0) ids[distinct++] = id;
      counts[id] = (counts[id] as number) + 1;
    }
    const shares = new Float64Array(distinct);
    for (let i = 0; i < distinct; i++) {
      const id = ids[i] as number;
      const count = counts[id] as number;
      counts[id] = 0;
      shares[i] = (scales[id] as number) * (count < 64 ? (factors[count] as number) : count ** header.repeat_power);
      ids[i] = id * dimensions;
    }
    sumRows(sum, codes, { starts: ids, shares });
    return unit(sum);
  }

  return {
    id: `${header.name}-${header.recipe}-${header.sha256.slice(0, 12)}`,
    dimensions,
    embed: async (texts) => texts.map(embedOne),
    embedSync: (texts) => texts.map(embedOne),
  };
}

/**
 * Sets `sum` to the weighted sum of rows. Adds four rows per pass, so that `sum` is loaded and stored a quarter as often.
 * The additions keep the order of single rows, so the result has the same bits.
 * @param rows start of each row in `codes`, and its weight
 */
function sumRows(
  sum: Float64Array,
  codes: Int8Array,
  { starts, shares }: { readonly starts: Int32Array; readonly shares: Float64Array },
): void {
  const { length } = sum;
  const count = shares.length;
  sum.fill(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const [a, b, c, d] = [starts[i] as number, starts[i + 1] as number, starts[i + 2] as number, starts[i + 3] as number];
    const [p, q, r, s] = [shares[i] as number, shares[i + 1] as number, shares[i + 2] as number, shares[i + 3] as number];
    for (let j = 0; j < length; j++) {
      const first = (sum[j] as number) + p * (codes[a + j] as number) + q * (codes[b + j] as number);
      sum[j] = first + r * (codes[c + j] as number) + s * (codes[d + j] as number);
    }
  }
  for (; i < count; i++) {
    const start = starts[i] as number;
    const share = shares[i] as number;
    for (let j = 0; j < length; j++) sum[j] = (sum[j] as number) + share * (codes[start + j] as number);
  }
}

function unit(sum: Float64Array): Float32Array {
  let squares = 0;
  for (let j = 0; j < sum.length; j++) squares += (sum[j] as number) * (sum[j] as number);
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  const out = new Float32Array(sum.length);
  for (let j = 0; j < sum.length; j++) out[j] = (sum[j] as number) * factor;
  return out;
}

/**
 * Reads the weights file, whose layout `lab/train/encoder/weights.py` defines.
 * @returns `codes` from -7 to 7, one row after another; a value is its code times the scale of its row
 */
function readWeights(path: string) {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = systemCodeOf(error) === "ENOENT" ? "encoder_missing" : "encoder_unreadable";
    const message = `the weights of the encoder, ${path}, cannot be read (${messageOf(error)}). Reinstall Sourcebound, or correct the path`;
    throw new ModelError(code, message, { path }, { cause: error });
  }
  const corrupt = (fault: string, cause?: unknown) => {
    const message = `the weights of the encoder, ${path}, are damaged (${fault}). Reinstall Sourcebound, or replace the file with an undamaged copy`;
    return new ModelError("encoder_corrupt", message, { path, bytes: bytes.length }, { cause });
  };
  if (bytes.length < 12 || Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== MAGIC) throw corrupt(`it does not begin with ${MAGIC}`);
  const start = 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  if (start > bytes.length) throw corrupt("the header is truncated");
  let header: z.infer<typeof headerSchema>;
  try {
    header = headerSchema.parse(JSON.parse(Buffer.from(bytes.subarray(12, start)).toString("utf8")));
  } catch (error) {
    throw corrupt("the header is not readable", error);
  }
  const payload = bytes.slice(start);
  if (createHash("sha256").update(payload).digest("hex") !== header.sha256) throw corrupt("its hash differs from the one in its header");
  const { rows, dimensions, vocabulary, hash_rows } = header;
  const packed = payload.subarray(rows * 4, rows * (4 + dimensions / 2));
  const pieces = new TextDecoder().decode(payload.subarray(rows * (4 + dimensions / 2))).split("\n");
  if (dimensions % 2 !== 0 || packed.length * 2 !== rows * dimensions || pieces.length !== vocabulary || rows !== vocabulary + hash_rows) {
    throw corrupt("its parts have inconsistent sizes");
  }
  const codes = new Int8Array(rows * dimensions);
  for (let i = 0; i < packed.length; i++) {
    const byte = packed[i] as number;
    codes[2 * i] = (byte & 15) - 8;
    codes[2 * i + 1] = (byte >> 4) - 8;
  }
  const view = new DataView(payload.buffer, payload.byteOffset);
  return { header, scales: Float32Array.from({ length: rows }, (_, i) => view.getFloat32(i * 4, true)), codes, pieces };
}
