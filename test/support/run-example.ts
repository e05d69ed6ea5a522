import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { runCli } from "./cli.ts";
import { commandOf } from "./docs.ts";

const run = promisify(execFile);

/** Runs one line of an example, with `> FILE`. Expects exit code 0, or one in a comment such as `# exit 2`. Returns stdout. */
export async function runLine(line: string, cwd: string, stdin: readonly Buffer[] = []): Promise<string> {
  const { env, words } = commandOf(line);
  const comment = /\s#\s.*\bexit\b(.*)$/.exec(line)?.[1] ?? "";
  const codes = [...comment.matchAll(/\d+/g)].map(Number);
  const to = words.indexOf(">");
  const file = to < 0 ? undefined : words[to + 1];
  const [program, ...args] = to < 0 ? words : words.slice(0, to);
  if (program === "node") {
    const own = args.map((arg) => (arg.startsWith("domains/") ? join(PACKAGE_ROOT, arg) : arg));
    return (await run(process.execPath, own, { cwd })).stdout;
  }
  expect([line, program]).toEqual([line, expect.stringMatching(/^(?:sourcebound|\.\/run)$/)]);
  const { code, stdout, stderr } = await runCli(args, { cwd, env, stdin });
  expect([line, codes.length === 0 ? [0] : codes, stdout, stderr]).toEqual([line, expect.arrayContaining([code]), stdout, stderr]);
  if (file !== undefined) writeFileSync(join(cwd, file), stdout);
  return stdout;
}
