import { expect } from "vitest";

/**
 * Maximum factor by which the cost may grow when the size doubles. The factor is 2 for linear time and 4 for quadratic
 * time.
 */
const PER_DOUBLING = 3;
/** Minimum milliseconds of processor time. Shorter measurements are too inaccurate. */
const NOISE_MS = 1;
const ATTEMPTS = 3;

/**
 * Asserts that `run` takes linear time, by comparing the processor time of two sizes. It measures several times before it
 * fails, because other load on the machine can disturb a measurement.
 * @param size the larger size
 * @param make makes an input of a size; its time is not measured
 * @param doublings number of doublings from the smaller size to the larger one
 * @example await expectLinearTime(100_000, (size) => "a".repeat(size), tokenize);
 */
export async function expectLinearTime<Input>(
  size: number,
  make: (size: number) => Input,
  run: (input: Input) => unknown,
  doublings = 4,
): Promise<void> {
  const [small, large] = [make(Math.ceil(size / 2 ** doublings)), make(size)];
  const most = PER_DOUBLING ** doublings;
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && ratio > most; attempt++) {
    const costs: number[] = [];
    for (let i = 0; i < 3; i++) costs.push(await costMs(run, small));
    ratio = (await costMs(run, large)) / Math.max(NOISE_MS, ...costs.toSorted((a, b) => a - b).slice(1, 2));
  }
  expect(ratio, `cost of ${2 ** doublings} times the size`).toBeLessThanOrEqual(most);
}

async function costMs<Input>(run: (input: Input) => unknown, input: Input): Promise<number> {
  const begun = process.cpuUsage();
  await Promise.resolve(run(input));
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
