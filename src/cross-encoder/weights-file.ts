import { z } from "zod";

/** First bytes of a weights file. `lab/train/reader/weights.py` defines the layout and writes the file. */
export const MAGIC = "SBREAD01";
/** Bytes before the header: magic number, hash and length of the header. */
export const PREFIX_BYTES = 44;
/** Maximum bytes of a header; usual are a few kilobytes. The limit prevents a huge allocation for a file of another format. */
export const MAX_HEADER_BYTES = 1 << 20;

/** Number of outputs of each head: a linear layer over the vector of a pair. */
export const HEADS = { answer: 1, claim: 3, same: 1 } as const;

const TYPES = { f32: 4, i8: 1, u16: 2, u8: 1, bits: 1 } as const;

const multipleOf = (step: number) => z.int().positive().multipleOf(step);

const tensorSchema = z.strictObject({
  type: z.enum(["f32", "i8", "u16", "u8", "bits"]),
  shape: z.array(z.int().positive()).min(1).max(2),
  at: z.int().nonnegative().multipleOf(16),
});

export const headerSchema = z
  .strictObject({
    format: z.literal(3),
    name: z.string().min(1),
    layers: z.int().min(1).max(24),
    hidden: multipleOf(32).max(1024),
    heads: z.int().positive(),
    feed_forward: multipleOf(8).max(4096),
    max_tokens: multipleOf(8).min(256).max(512),
    epsilon: z.number().positive(),
    embedding_bits: z.int().min(4).max(8),
    tensors: z.record(z.string(), tensorSchema),
  })
  .refine(({ hidden, heads }) => hidden % heads === 0 && (hidden / heads) % 8 === 0, "hidden / heads is not a multiple of 8");

/** Schema of an adapter: low-rank changes of the matrices, and tensors that replace those of the weights. */
export const adapterSchema = z.strictObject({
  format: z.literal(1),
  name: z.string().min(1),
  /** SHA-256 of the weights on which the adapter was trained. */
  base: z.string().regex(/^[\da-f]{64}$/),
  rank: z.int().min(1).max(64),
  tensors: z.record(z.string(), tensorSchema),
});

export type WeightsHeader = z.infer<typeof headerSchema>;
export type TensorEntry = z.infer<typeof tensorSchema>;

export function bytesOf({ type, shape }: TensorEntry): number {
  return shape.reduce((product, size) => product * size, TYPES[type]);
}

/** Returns name, rows and depth of each matrix of a layer. `attention` contains the rows of query, key and value, in this order. */
export function layerMatrices({ hidden, feed_forward: wide }: Pick<WeightsHeader, "hidden" | "feed_forward">) {
  return [
    ["attention", 3 * hidden, hidden],
    ["output", hidden, hidden],
    ["up", wide, hidden],
    ["down", hidden, wide],
  ] as const;
}

/**
 * Returns the offset of every tensor in the payload. Checks that each one exists, has the right type and size, and lies
 * inside the payload.
 * @throws Error naming the invalid tensor
 */
export function checkTensors(header: WeightsHeader, payloadBytes: number): Map<string, number> {
  const places = new Map<string, number>();
  const expect = (name: string, type: TensorEntry["type"], shape: readonly (number | null)[]) => {
    const entry = header.tensors[name];
    if (entry === undefined) throw new Error(`"${name}" is missing`);
    const fits =
      entry.type === type && entry.shape.length === shape.length && shape.every((size, i) => size === null || size === entry.shape[i]);
    if (!fits) throw new Error(`"${name}" is ${entry.type} [${entry.shape}] and must be ${type} [${shape.map((size) => size ?? "any")}]`);
    if (entry.at + bytesOf(entry) > payloadBytes) throw new Error(`"${name}" extends beyond the end of the file`);
    places.set(name, entry.at);
    return entry.shape;
  };
  const matrix = (name: string, rows: number, depth: number) => {
    expect(`${name}.codes`, "i8", [rows, depth]);
    expect(`${name}.scales`, "f32", [rows]);
  };
  const { hidden, layers, embedding_bits: bits } = header;
  expect("vocabulary", "u8", [null]);
  expect("rows", "u16", [null]);
  const [kept = 0] = expect("words.codes", bits === 8 ? "i8" : "bits", [null, (hidden * bits) / 8]);
  expect("words.scales", "f32", [kept]);
  matrix("positions", header.max_tokens, hidden);
  expect("types", "f32", [1, hidden]);
  for (const [head, outputs] of Object.entries(HEADS)) {
    expect(`${head}.weights`, "f32", [outputs, hidden]);
    expect(`${head}.bias`, "f32", [outputs]);
  }
  const norms = ["embedding_norm"];
  for (let layer = 0; layer < layers; layer++) {
    const at = `layer.${layer}.`;
    for (const [name, rows, depth] of layerMatrices(header)) {
      matrix(at + name, rows, depth);
      expect(`${at}${name}.bias`, "f32", [rows]);
    }
    norms.push(`${at}attention_norm`, `${at}output_norm`);
  }
  for (const norm of norms) {
    expect(`${norm}.gain`, "f32", [hidden]);
    expect(`${norm}.bias`, "f32", [hidden]);
  }
  return places;
}
