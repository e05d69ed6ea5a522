import { FORWARD_BASE64 } from "./forward.generated.ts";
import type { ReaderKernel } from "./kernel.ts";

type KernelExports = Omit<ReaderKernel, "name">;

/** The compiled module, which threads share; `null` where the machine or the runtime has no SIMD or no shared memory. */
export function compileKernel(): WebAssembly.Module | null {
  if (typeof WebAssembly === "undefined" || typeof SharedArrayBuffer === "undefined") return null;
  const bytes = Buffer.from(FORWARD_BASE64, "base64");
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null;
}

/** The kernel in WebAssembly SIMD over a shared memory. */
export function createWasmKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): ReaderKernel {
  const { packRows, quantise, multiply, gelu, addNorm, attend } = new WebAssembly.Instance(module, { reader: { memory } })
    .exports as unknown as KernelExports;
  return { name: "wasm", packRows, quantise, multiply, gelu, addNorm, attend };
}
