import { cpus } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes, the longest first; two of them mostly wait for a registry. */
const LONG = ["kill", "deployment", "package", "proofs", "memory-schedules"];

/** Starts long files first, so that no worker runs one alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * Files with their own process: they change process-wide state (environment, modules, sockets), measure memory or time, or control other
 * processes for minutes. All others share one process per worker, which loads the program, weights and word lists once.
 */
const ALONE = [
  "test/{docs-examples,examples,package,kill,hostile-service,mcp,check,cli,cli-ingest,deployment}.test.ts",
  "src/ingest/{corpus,parse,hostile,linear}.test.ts",
  "src/server/start.test.ts",
];

/** Tags of tests that only `./run test --all` runs, because each starts other programs. */
const LEFT_TO_ALL = [
  { name: "all/browser", description: "the page in Chromium" },
  { name: "all/data", description: "figures on large sets" },
  { name: "all/docs", description: "pages of the docs whose commands judge whole golden sets or serve" },
  { name: "all/kill", description: "processes killed at any moment, and several at once on one folder" },
  { name: "all/opensearch", description: "the search engine in a running OpenSearch" },
  { name: "all/package", description: "the package installed, the steps of the image and of the compose file" },
  { name: "all/postgres", description: "records, vectors and replicas on PostgreSQL" },
  { name: "all/training", description: "recipes of the weights, started on made rows" },
];

export default defineConfig({
  test: {
    tags: LEFT_TO_ALL,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.{ts,tsx}", "lab/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE } },
    ],
    globalSetup: ["test/support/build.ts"],
    sequence: { sequencer: LongestFirst },
    // Vitest reserves one core but needs little of it, and some file always waits for a timer, a registry or a browser.
    maxWorkers: Math.max(2, cpus().length - 1) + 1,
    expect: { poll: { timeout: 60_000 } },
    // Only for hanging tests: on a busy machine a second of work can take a minute.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
