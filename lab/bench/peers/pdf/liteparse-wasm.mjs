import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import init, { LiteParse } from "@llamaindex/liteparse-wasm";

const entry = createRequire(import.meta.url).resolve("@llamaindex/liteparse-wasm/package.json");
await init({ module_or_path: readFileSync(entry.replace("package.json", "pkg/liteparse_wasm_bg.wasm")) });
const parser = new LiteParse({ ocrEnabled: false, outputFormat: "json", quiet: true });

export const peer = {
  name: "liteparse, WebAssembly",
  package: "@llamaindex/liteparse-wasm",
  async pages(bytes) {
    const { pages } = await parser.parse(bytes);
    return pages.map(({ text }) => text);
  },
};
