import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pc from "picocolors";
import { renderAnswer } from "../../src/cli/render.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { loadConfig } from "../../src/shared/config.ts";
import { generateDocs } from "./generate.ts";
import { fillRegions } from "./regions.ts";

/** The question whose printed answer stands in the README. */
const README_QUESTION = "What is the deadline for a Higher-Level Review?";
/** Lines of the printed answer that the README shows. */
const README_LINES = 6;

/** `npm run docs` writes the generated texts; `--check` compares, and fails when one is out of date. */
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

/** The README with the beginning of a real answer of the demo domain. */
async function readmeWithAnswer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-docs-"));
  const engine = await createEngine(loadConfig({ cwd: folder, env: {}, overrides: { domain: "veterans" } }));
  try {
    for await (const _event of engine.ingestDomain("veterans"));
    const printed = renderAnswer(await engine.answer(README_QUESTION), pc.createColors(false))
      .split("\n")
      .slice(0, README_LINES)
      .join("\n");
    const readme = readFileSync(join(PACKAGE_ROOT, "README.md"), "utf8");
    return fillRegions(readme, { answer: () => `\`\`\`\n${printed}\n\`\`\`` });
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
