// Turns src/retrieve/wasm/scan.wat into src/retrieve/wasm/scan.generated.ts. Run by `npm run wasm` after the source has changed.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import loadWabt from "wabt";

const folder = new URL("../src/retrieve/wasm/", import.meta.url);
const source = readFileSync(new URL("scan.wat", folder), "utf8");
const wabt = await loadWabt();
const module = wabt.parseWat("scan.wat", source, { simd: true });
module.resolveNames();
module.validate();
const { buffer } = module.toBinary({});
const base64 = Buffer.from(buffer).toString("base64");
const lines = base64.match(/.{1,120}/g).map((line) => `  "${line}",`);
const target = new URL("scan.generated.ts", folder);
writeFileSync(
  target,
  `// Generated from scan.wat by \`npm run wasm\`: do not edit.

/** SHA-256 of the scan.wat that these bytes were built from. */
export const SCAN_SOURCE_SHA256 = "${createHash("sha256").update(source).digest("hex")}";

/** The module's ${buffer.length} bytes. */
export const SCAN_BASE64 = [
${lines.join("\n")}
].join("");
`,
);
process.stderr.write(`${fileURLToPath(target)}: ${buffer.length} bytes\n`);
