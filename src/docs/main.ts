import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_ROOT } from "../root.ts";
import { generateDocs } from "./generate.ts";

/** `npm run docs` writes the generated documents; `--check` compares and fails when one is out of date. */
const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [path, text] of Object.entries(generateDocs())) {
  const file = join(PACKAGE_ROOT, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  if (check) stale.push(path);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(", ")}. Run \`npm run docs\` and commit the result.\n`);
  process.exitCode = 1;
}
