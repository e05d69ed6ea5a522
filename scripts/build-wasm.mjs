// Turns every .wat of the sources into a .generated.ts beside it. Run by `npm run wasm` after a source has changed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import loadWabt from "wabt";

const FEATURES = { simd: true, threads: true, bulk_memory: true };
const sources = fileURLToPath(new URL("../src/", import.meta.url));
const wabt = await loadWabt();

for (const path of readdirSync(sources, { recursive: true })
  .filter((path) => path.endsWith(".wat"))
  .sort()) {
  const name = basename(path, ".wat");
  const source = readFileSync(`${sources}${path}`, "utf8");
  const module = wabt.parseWat(path, source, FEATURES);
  module.resolveNames();
  module.validate(FEATURES);
  const { buffer } = module.toBinary({});
  const base64 = Buffer.from(buffer).toString("base64");
  const lines = base64.match(/.{1,120}/g).map((line) => `  "${line}",`);
  const target = `${sources}${path.replace(/\.wat$/, ".generated.ts")}`;
  writeFileSync(
    target,
    `// Generated from ${name}.wat by \`npm run wasm\`: do not edit.

/** SHA-256 of the ${name}.wat that these bytes were built from. */
export const ${name.toUpperCase()}_SOURCE_SHA256 = "${createHash("sha256").update(source).digest("hex")}";

/** The module's ${buffer.length} bytes. */
export const ${name.toUpperCase()}_BASE64 = [
${lines.join("\n")}
].join("");
`,
  );
  process.stderr.write(`${target}: ${buffer.length} bytes\n`);
}
