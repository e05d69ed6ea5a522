import { openContainer } from "./container.ts";
import { adapterSchema, bytesOf, layerMatrices, type TensorEntry, type WeightsHeader } from "./weights-file.ts";

/** Weights in memory before their matrices are packed for the kernel. */
interface Unpacked {
  readonly header: Omit<WeightsHeader, "tensors">;
  readonly hash: string;
  readonly places: ReadonlyMap<string, number>;
  readonly memory: { readonly buffer: ArrayBufferLike };
}

/** A linear head over the last state of a token of the claim: the log odds that the text supports it. */
export interface TokenHead {
  readonly weights: Float32Array;
  readonly bias: number;
}

/** Largest absolute value of the 8-bit code of a weight. */
const MOST = 127;
/**
 * Minimum factor by which the 8-bit scale of a matrix row grows when an adapter is merged. All old weights of the row are exact multiples
 * of its old scale. Most changes by the adapter are smaller than half of that scale, so rounding with the old scale would restore the old
 * weights. Most old weights lie between multiples of the new scale, so small changes can alter the rounding.
 */
const NEW_SCALE = 1.0073;

/**
 * Merges an adapter into the matrices: W + B · A (Hu et al., arXiv:2106.09685, section 4.1), rounded to 8 bits. Other
 * tensors of the adapter replace the tensors with the same names.
 * @returns SHA-256 of the adapter's content, and its head for single tokens if it has one
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`, also for an adapter that was trained on other weights
 */
export function mergeAdapter(
  path: string,
  { header, hash, places, memory }: Unpacked,
): { readonly hash: string; readonly tokenHead: TokenHead | null } {
  return openContainer(path, adapterSchema, ({ header: { base, rank, tensors }, payloadBytes, read, corrupt }) => {
    if (base !== hash) throw corrupt("it was trained for another cross-encoder than the one in use");
    const payload = Buffer.alloc(payloadBytes);
    const own = read(payload);
    const { buffer, byteOffset } = payload;
    const placeOf = (name: string, type: TensorEntry["type"], size: number): number => {
      const entry = tensors[name];
      if (entry?.type !== type || bytesOf(entry) !== size || entry.at + size > payloadBytes)
        throw corrupt(`"${name}" is missing or has another size`);
      return byteOffset + entry.at;
    };
    const matrix = (name: string, rows: number, depth: number): Float32Array => {
      const codes = new Int8Array(buffer, placeOf(`${name}.codes`, "i8", rows * depth), rows * depth);
      const scales = new Float32Array(buffer, placeOf(`${name}.scales`, "f32", 4 * rows), rows);
      return Float32Array.from(codes, (code, i) => code * (scales[Math.floor(i / depth)] as number));
    };
    for (let layer = 0; layer < header.layers; layer++) {
      for (const [kind, rows, depth] of layerMatrices(header)) {
        const name = `layer.${layer}.${kind}`;
        // The attention matrix joins query, key and value, each of which has a `down` factor of its own.
        const parts = kind === "attention" ? 3 : 1;
        const [down, up] = [matrix(`${name}.a`, parts * rank, depth), matrix(`${name}.b`, rows, rank)];
        const codes = new Int8Array(memory.buffer, places.get(`${name}.codes`), rows * depth);
        const scales = new Float32Array(memory.buffer, places.get(`${name}.scales`), rows);
        mergeMatrix({ codes, scales, down, up, rows, depth, rank, rowsOfPart: rows / parts });
      }
    }
    for (const [name, entry] of Object.entries(tensors)) {
      const place = places.get(name);
      if (place === undefined || entry.type !== "f32") continue;
      const size = bytesOf(entry);
      new Uint8Array(memory.buffer, place, size).set(new Uint8Array(buffer, placeOf(name, "f32", size), size));
    }
    if (tensors["claim_tokens.weights"] === undefined) return { hash: own, tokenHead: null };
    const weights = new Float32Array(buffer, placeOf("claim_tokens.weights", "f32", 4 * header.hidden), header.hidden).slice();
    const [bias = 0] = new Float32Array(buffer, placeOf("claim_tokens.bias", "f32", 4), 1);
    return { hash: own, tokenHead: { weights, bias } };
  });
}

interface MatrixChange {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
  /** Shapes: `down` is [rows / rowsOfPart · rank, depth], `up` is [rows, rank]. */
  readonly down: Float32Array;
  readonly up: Float32Array;
  readonly rows: number;
  readonly depth: number;
  readonly rank: number;
  readonly rowsOfPart: number;
}

function mergeMatrix({ codes, scales, down, up, rows, depth, rank, rowsOfPart }: MatrixChange): void {
  const changed = new Float32Array(depth);
  for (let row = 0; row < rows; row++) {
    const scale = scales[row] as number;
    const firstFactor = Math.floor(row / rowsOfPart) * rank;
    for (let k = 0; k < depth; k++) changed[k] = (codes[row * depth + k] as number) * scale;
    for (let factor = 0; factor < rank; factor++) {
      const share = up[row * rank + factor] as number;
      const from = (firstFactor + factor) * depth;
      for (let k = 0; k < depth; k++) changed[k] = (changed[k] as number) + share * (down[from + k] as number);
    }
    let peak = 0;
    for (let k = 0; k < depth; k++) peak = Math.max(peak, Math.abs(changed[k] as number));
    const merged = Math.max(scale * NEW_SCALE, peak / MOST);
    scales[row] = merged;
    for (let k = 0; k < depth; k++) codes[row * depth + k] = Math.round((changed[k] as number) / merged);
  }
}
