// Assembles each .wat source into a .generated.ts next to it. Run `npm run wasm` after changing a source.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Assembler of the committed bytes; npm fetches it. */
const ASSEMBLER = ["--yes", "--package=wabt@1.0.39", "wat2wasm", "--enable-threads"];
const sources = fileURLToPath(new URL("../src/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "wasm-"));

for (const path of readdirSync(sources, { recursive: true })
  .filter((path) => path.endsWith(".wat"))
  .sort()) {
  const name = basename(path, ".wat");
  const source = readFileSync(`${sources}${path}`, "utf8");
  const made = join(folder, `${name}.wasm`);
  execFileSync("npx", [...ASSEMBLER, `${sources}${path}`, "-o", made], { stdio: "inherit" });
  const buffer = readFileSync(made);
  const base64 = buffer.toString("base64");
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
rmSync(folder, { recursive: true });
