import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { folderOfFile, writeIn } from "./support/folders.ts";

const run = promisify(execFile);
/** Inside the package, so that `sourcebound` resolves to it. */
const programs = join(PACKAGE_ROOT, "dist", ".doc-examples");
const cwd = folderOfFile();
beforeAll(() => {
  writeIn(cwd, "documents/cards.md", "# Library cards\n\nA lost library card costs 5 dollars to replace.\n");
  mkdirSync(programs, { recursive: true });
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** Extracts the example above `declaration` as a program. */
function exampleOf(path: string, declaration: string): string {
  const before = readFileSync(join(PACKAGE_ROOT, path), "utf8").split(declaration)[0] ?? "";
  const comment = before.slice(before.lastIndexOf("/**"));
  return comment
    .slice(comment.indexOf("@example") + "@example".length)
    .split("\n")
    .map((line) => line.replace(/^\s*\*\/?\s?/, ""))
    .join("\n");
}

const EXAMPLES: readonly (readonly [name: string, path: string, declaration: string, output: RegExp])[] = [
  ["createEngine", "src/engine/engine.ts", "export async function createEngine", /^documents\n$/],
  ["Engine", "src/engine/engine.ts", "export type Engine", /^1\nok A lost library card costs 5 dollars/],
  ["ask", "src/engine/asking.ts", "  const ask = (question", /^(sentence .*5 dollars.*\n)+answer ok\n$/],
  ["citationStates", "src/engine/documents.ts", "  citationStates: (", /^same\n$/],
  ["verifyAnswer", "src/pipeline/verify-answer.ts", "export async function verifyAnswer", /^false values\n$/],
];

// One process runs all examples and exits by itself, so none leaves anything open.
it(`the examples of ${EXAMPLES.map(([name]) => name).join(", ")} run as they stand`, async () => {
  for (const [name, path, declaration] of EXAMPLES) writeFileSync(join(programs, `${name}.mjs`), exampleOf(path, declaration));
  const all = join(programs, "all.mjs");
  writeFileSync(all, EXAMPLES.map(([name]) => `console.log("== ${name}");\nawait import("./${name}.mjs");\n`).join(""));
  const { stdout } = await run(process.execPath, [all], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
  const printed = new Map(stdout.split(/^== /m).map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]));
  for (const [name, , , output] of EXAMPLES) expect(printed.get(name), name).toMatch(output);
});
