// Summarizes Vitest's results: counts, and the number of tests of each kind left to `./run test --all`.
import { readFileSync } from "node:fs";

const LEFT = "all/";

const tests = JSON.parse(readFileSync(process.argv[2], "utf8")).testResults.flatMap(({ assertionResults }) => assertionResults);
const left = new Map();
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { status, tags } of tests) {
  const kind = tags.find((tag) => tag.startsWith(LEFT))?.slice(LEFT.length);
  if (status === "passed" || status === "failed") counts[status]++;
  else if (kind === undefined || process.env.SOURCEBOUND_TEST === "all") counts.skipped++;
  else left.set(kind, (left.get(kind) ?? 0) + 1);
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
if (left.size > 0) {
  const kinds = [...left].sort().map(([kind, number]) => `${kind} ${number}`);
  process.stdout.write(`Left to ./run test --all: ${kinds.join(", ")} tests, and most rounds of the long trials\n`);
}
