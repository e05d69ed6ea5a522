import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  build: { outDir: "../dist/web", emptyOutDir: true, assetsInlineLimit: 0 },
  server: { proxy: { "/v1": "http://127.0.0.1:8787", "/healthz": "http://127.0.0.1:8787" } },
});
