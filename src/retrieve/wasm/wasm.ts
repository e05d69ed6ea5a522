import { MAX_MEMORY_BYTES, type ScanKernel } from "./kernel.ts";
import { SCAN_BASE64 } from "./scan.generated.ts";

const PAGE_BYTES = 65536;

interface ScanExports {
  expand: ScanKernel["expand"];
  scanInt8: ScanKernel["scanInt8"];
  scanFloat32: ScanKernel["scanFloat32"];
  rescore: ScanKernel["rescore"];
}

/** The kernel in WebAssembly SIMD; `null` where the machine or the runtime has none. */
export function createWasmKernel(): ScanKernel | null {
  if (typeof WebAssembly === "undefined") return null;
  const bytes = Buffer.from(SCAN_BASE64, "base64");
  if (!WebAssembly.validate(bytes)) return null;
  // Memory grows in place: the address space is reserved up to the maximum, the pages are not used before they are written.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_MEMORY_BYTES / PAGE_BYTES });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { scan: { memory } });
  const { expand, scanInt8, scanFloat32, rescore } = instance.exports as unknown as ScanExports;
  return {
    name: "wasm",
    get buffer() {
      return memory.buffer;
    },
    grow(bytes) {
      const pages = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
      if (pages > 0) memory.grow(pages);
    },
    expand,
    scanInt8,
    scanFloat32,
    rescore,
  };
}
