import type { ReaderKernel } from "./kernel/kernel.ts";
import { createScalarKernel } from "./kernel/scalar.ts";
import { createWasmKernel } from "./kernel/wasm.ts";
import type { WeightsHeader } from "./weights-file.ts";

/** Weights in memory as the file holds them, checked. */
export interface StoredWeights {
  readonly header: Omit<WeightsHeader, "tensors">;
  /** SHA-256 of the file's content: changes with any number in it. */
  readonly hash: string;
  /** Where each tensor starts in the memory. */
  readonly places: ReadonlyMap<string, number>;
  readonly vocabulary: { readonly bytes: number; readonly pieces: number };
  readonly memory: WebAssembly.Memory | SharedArrayBuffer;
}

/**
 * Weights in memory, ready for the kernel: plain data that threads share without a copy. Each thread works in an arena of
 * its own behind the weights.
 */
export interface ReaderWeights extends StoredWeights {
  /** For each packed matrix, the largest code that its input may hold. */
  readonly limits: ReadonlyMap<string, number>;
  /** The compiled kernel; `null` for the scalar form. */
  readonly module: WebAssembly.Module | null;
  readonly firstArena: number;
  readonly arenaBytes: number;
}

/** A kernel over the memory of the weights, for the thread that calls. */
export function openKernel(weights: Pick<ReaderWeights, "memory" | "module">): ReaderKernel {
  const { memory, module } = weights;
  return memory instanceof WebAssembly.Memory && module !== null ? createWasmKernel(module, memory) : createScalarKernel(bufferOf(weights));
}

/** The pieces by token id. */
export function piecesOf(weights: Pick<StoredWeights, "memory" | "places" | "vocabulary">): string[] {
  // Decoders take no shared memory: a copy that lives as long as the call.
  const bytes = new Uint8Array(bufferOf(weights), weights.places.get("vocabulary"), weights.vocabulary.bytes);
  return Buffer.from(bytes).toString("utf8").split("\n");
}

/** Where the tensor starts, in bytes. */
export function placeOf({ places }: Pick<StoredWeights, "places">, name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new Error(`the weights have no tensor "${name}"`);
  return place;
}

export function bufferOf({ memory }: Pick<StoredWeights, "memory">): ArrayBufferLike {
  return memory instanceof WebAssembly.Memory ? memory.buffer : memory;
}
