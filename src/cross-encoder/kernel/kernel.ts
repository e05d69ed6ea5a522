import { ModelError } from "../../shared/errors.ts";
import { FORWARD_BASE64 } from "./forward.generated.ts";

/**
 * The operations of the forward pass over one flat memory. Addresses and strides are in bytes, sizes in elements; `forward.wat`
 * says what each does and in which order its sums are added.
 */
export interface ReaderKernel {
  /** Rearranges int8 rows in place for `multiply`; returns the largest sum of absolute values of a row. */
  packRows(at: number, rows: number, depth: number, scratch: number): number;
  /** f32 rows to int16 codes with one scale a row: a row's largest value becomes `limit`. */
  quantise(x: number, tokens: number, width: number, limit: number, codes: number, scales: number): void;
  /** Packed rows times codes, scaled, plus bias: f32 rows at `out`, `stride` apart. */
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
  /** x times the normal share below x, in place; `count` is a multiple of 4. */
  gelu(x: number, count: number): void;
  /** x = norm(x + y) * gain + bias in place. */
  addNorm(x: number, y: number, gain: number, bias: number, tokens: number, width: number, epsilon: number): void;
  /** Attention of `queries` rows over `tokens` rows of [key | value]. */
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

/** Where a sum of `depth` products leaves 32 bits, from the largest sum of absolute weights of a row. */
export function largestCode(rowSum: number): number {
  return Math.min(32767, Math.floor(2147483647 / Math.max(1, rowSum)));
}

/**
 * The compiled module, which threads share.
 * @throws ModelError `reader_unsupported` where the machine has no WebAssembly SIMD
 */
export function compileKernel(): WebAssembly.Module {
  const bytes = Buffer.from(FORWARD_BASE64, "base64");
  if (WebAssembly.validate(bytes)) return new WebAssembly.Module(bytes);
  throw new ModelError("reader_unsupported", "the reader needs WebAssembly SIMD, which this machine does not have");
}

/** The kernel over a shared memory, for the thread that calls. */
export function createKernel({
  module,
  memory,
}: {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}): ReaderKernel {
  return new WebAssembly.Instance(module, { reader: { memory } }).exports as unknown as ReaderKernel;
}
