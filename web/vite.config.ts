import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/**
 * Vite plugin that copies the files which the PDF library loads by name: character maps, standard fonts, and image decoders
 * that need no WebAssembly.
 */
function pdfAssets(): Plugin {
  const root = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  const wanted = { cmaps: /\.bcmap$/, standard_fonts: /\.(?:pfb|ttf)$/, wasm: /_nowasm_fallback\.js$/ };
  return {
    name: "pdf-assets",
    generateBundle() {
      for (const [folder, pattern] of Object.entries(wanted)) {
        for (const name of readdirSync(join(root, folder)).filter((one) => pattern.test(one)))
          this.emitFile({ type: "asset", fileName: `pdf/${folder}/${name}`, source: readFileSync(join(root, folder, name)) });
      }
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), pdfAssets()],
  build: { outDir: "../dist/web", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "/v1": "http://127.0.0.1:8787", "/healthz": "http://127.0.0.1:8787" } },
});
