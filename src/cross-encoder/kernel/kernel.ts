import { ModelError } from "../../shared/errors.ts";
import { FORWARD_BASE64 } from "./forward.generated.ts";

/**
 * The operations of the forward pass. All data is in one memory; addresses and strides are in bytes, sizes in elements.
 * `forward.wat` documents each operation and the order of its additions.
 */
export interface ReaderKernel {
  /** Packs int8 rows in place for `multiply`. Returns the largest sum of absolute values in a row. */
  packRows(at: number, rows: number, depth: number, scratch: number): number;
  /** Quantises f32 rows to int16 codes. Each row has one scale. The largest absolute value of a row becomes `limit`. */
  quantise(x: number, tokens: number, width: number, limit: number, codes: number, scales: number): void;
  /** Multiplies rows by codes, applies both scales and adds the bias. Writes f32 rows from `out` on, `stride` bytes apart. */
  multiply(
    weights: number,
    rowScales: number,
    bias: number,
    rows: number,
    depth: number,
    codes: number,
    tokenScales: number,
    tokens: number,
    out: number,
    stride: number,
  ): void;
  /** GELU: multiplies each x by the normal cumulative distribution at x, in place. `count` is a multiple of 4. */
  gelu(x: number, count: number): void;
  addNorm(x: number, y: number, gain: number, bias: number, tokens: number, width: number, epsilon: number): void;
  /** Computes the attention of `queries` rows over the keys and values in `keyValue`, `tokens` rows of [key, value]. */
  attend(
    query: number,
    queries: number,
    keyValue: number,
    tokens: number,
    heads: number,
    width: number,
    scale: number,
    scratch: number,
    out: number,
  ): void;
}

/** Returns the largest input code with which no sum exceeds 32 bits. @param rowSum largest sum of absolute weights in a row */
export function largestCode(rowSum: number): number {
  return Math.min(32767, Math.floor(2147483647 / Math.max(1, rowSum)));
}

/**
 * Compiles the kernel. Threads share the result.
 * @throws ModelError `reader_unsupported` on machines without WebAssembly SIMD
 */
export function compileKernel(): WebAssembly.Module {
  const bytes = Buffer.from(FORWARD_BASE64, "base64");
  if (WebAssembly.validate(bytes)) return new WebAssembly.Module(bytes);
  const message = "the cross-encoder needs WebAssembly SIMD, which the processor of this machine does not support. Use another machine";
  throw new ModelError("reader_unsupported", message);
}

/** Instantiates the kernel in the calling thread. */
export function createKernel({
  module,
  memory,
}: {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}): ReaderKernel {
  return new WebAssembly.Instance(module, { reader: { memory } }).exports as unknown as ReaderKernel;
}
