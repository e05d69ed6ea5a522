import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pc from "picocolors";
import { renderAnswer } from "../../src/cli/render.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { loadConfig } from "../../src/shared/config.ts";
import { generateDocs } from "./generate.ts";

/** The question whose printed answer stands in the README. */
const README_QUESTION = "What is the deadline for a Higher-Level Review?";

/** `npm run docs` writes the generated documents; `--check` compares and fails when one is out of date. */
const check = process.argv.includes("--check");
const stale: string[] = [];
const documents = { ...generateDocs(), "README.md": await readmeWithAnswer() };
for (const [path, text] of Object.entries(documents)) {
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

/** The README with a real answer of the demo domain between its two marks; the time that it took is left out. */
async function readmeWithAnswer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-docs-"));
  const engine = await createEngine(loadConfig({ cwd: folder, env: {}, overrides: { domain: "veterans" } }));
  try {
    for await (const _event of engine.ingestDomain("veterans"));
    const printed = renderAnswer(await engine.answer(README_QUESTION), pc.createColors(false)).replace(/, \d+ ms$/, "");
    const readme = readFileSync(join(PACKAGE_ROOT, "README.md"), "utf8");
    const marks = /(<!-- answer: made by `npm run docs` -->\n)[\s\S]*?(<!-- \/answer -->)/;
    return readme.replace(marks, (_whole, open: string, close: string) => `${open}\`\`\`\n${printed}\n\`\`\`\n${close}`);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
