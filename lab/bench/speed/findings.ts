import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { quantile, type TableRow } from "../../../src/internals.ts";

/** Results collected so far. */
export interface Findings {
  readonly table: TableRow[];
  readonly metrics: Record<string, number | null>;
  readonly timings: Record<string, number | null>;
  readonly n: Record<string, number>;
  /** Points of each growth curve: number of chunks, median in ms. */
  readonly lines: Map<string, [number, number][]>;
}

export type Progress = (text: string) => void;

const MEGABYTE = 1e6;

export function noFindings(): Findings {
  return { table: [], metrics: {}, timings: {}, n: {}, lines: new Map() };
}

export function median(times: readonly number[]): number {
  return quantile(times, 0.5) ?? 0;
}

export function ms(times: readonly number[]): string {
  return `${median(times).toFixed(median(times) < 10 ? 3 : 0)} ms`;
}

export function spread(times: readonly number[]): string {
  return `p10 ${(quantile(times, 0.1) ?? 0).toFixed(3)}, p90 ${(quantile(times, 0.9) ?? 0).toFixed(3)}`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`;
}

/** Memory of the process in bytes after garbage collection: resident memory, and heap plus external memory. */
export interface Memory {
  readonly resident: number;
  readonly used: number;
}

export function memoryNow(): Memory {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, used: heapUsed + external };
}

/**
 * Returns the growth since `before` in bytes. Takes the larger of both figures: only resident memory includes native memory, and it does
 * not grow when freed pages are reused.
 */
export function grownSince(before: Memory): number {
  const now = memoryNow();
  return Math.max(0, now.resident - before.resident, now.used - before.used);
}

/** Returns the share of expected slots that were found. */
export function sharedShare(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): number {
  let shared = 0;
  let all = 0;
  expected.forEach((slots, i) => {
    const had = new Set(found[i]);
    shared += slots.filter((slot) => had.has(slot)).length;
    all += slots.length;
  });
  return shared / all;
}
