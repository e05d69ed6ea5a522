import { cpus } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes begin first, so that no worker is left with one at the end; then the others as vitest orders them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => (/test\/(?:kill|memory-schedules|proofs)\.test\.ts$/.test(moduleId) ? 0 : 1);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * Tests of plain functions: their files share one process, which reads the program, its weights and its lists of words once. A test that starts threads, servers or
 * processes, or that changes what is global, belongs elsewhere.
 */
const PLAIN = [
  "src/{text,reading,compare,guard,check,admit,verify,write,prove,wire,config,profiles,models}/**/*.test.ts",
  "lab/{judges,made,sets}/**/*.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "plain", include: PLAIN, isolate: false } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.{ts,tsx}", "lab/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...PLAIN],
        },
      },
    ],
    globalSetup: ["test/support/build.ts"],
    sequence: { sequencer: LongestFirst },
    // Vitest keeps one core for itself; of two that leaves one, and it needs little.
    maxWorkers: Math.max(2, cpus().length - 1),
    // Generous: tests that start processes share two noisy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
