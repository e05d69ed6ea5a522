import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { folderOfFile } from "./support/folders.ts";

const folder = folderOfFile();

/** Returns the output of `scripts/test-summary.mjs` for these tests. */
function summary(run: "usual" | "all", tests: readonly (readonly [status: string, ...tags: string[]])[]): string {
  const file = join(folder, "results.json");
  const assertionResults = tests.map(([status, ...tags]) => ({ status, tags }));
  writeFileSync(
    file,
    JSON.stringify({ testResults: [{ assertionResults: assertionResults.slice(1) }, { assertionResults: assertionResults.slice(0, 1) }] }),
  );
  const env = { PATH: process.env.PATH, SOURCEBOUND_TEST: run };
  return execFileSync(process.execPath, [join(PACKAGE_ROOT, "scripts", "test-summary.mjs"), file], { encoding: "utf8", env });
}

describe("the last lines of ./run test", () => {
  it("list by name and number the tests left to --all, apart from those that could not run", () => {
    const tests = [
      ["passed"],
      ["failed"],
      ["skipped"],
      ["pending"],
      ["skipped", "all/kill"],
      ["skipped", "all/browser"],
      ["pending", "all/browser"],
    ] as const;
    expect(summary("usual", tests)).toBe(
      "1 passed, 1 failed, 2 skipped\nLeft to ./run test --all: browser 2, kill 1 tests, and most rounds of the long trials\n",
    );
  });
});
