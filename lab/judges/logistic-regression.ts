/** Logistic regression on standardised columns with a ridge penalty, fitted by Newton's method (Hastie et al. 2009, section 4.4). */
export interface LogisticModel {
  readonly mean: readonly number[];
  readonly spread: readonly number[];
  /** The last weight is the intercept. */
  readonly weights: readonly number[];
}

const STEPS = 25;
/** Ridge penalty, in rows. */
const RIDGE = 1;

/** @throws RangeError without rows */
export function fitLogistic(rows: readonly (readonly number[])[], labels: readonly boolean[]): LogisticModel {
  const first = rows[0];
  if (first === undefined) throw new RangeError("a logistic regression needs rows");
  const mean = first.map((_, c) => rows.reduce((sum, row) => sum + (row[c] as number), 0) / rows.length);
  const spread = first.map((_, c) => {
    const variance = rows.reduce((sum, row) => sum + ((row[c] as number) - (mean[c] as number)) ** 2, 0) / rows.length;
    return Math.sqrt(variance) || 1;
  });
  const x = rows.map((row) => standardise(row, mean, spread));
  const size = first.length + 1;
  const weights = new Array<number>(size).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, c) => (c === size - 1 ? 0 : RIDGE * weight));
    const hessian = weights.map((_, c) => weights.map((__, d) => (c === d ? (c === size - 1 ? 1e-9 : RIDGE) : 0)));
    x.forEach((row, i) => {
      const chance = 1 / (1 + Math.exp(-dot(row, weights)));
      const w = chance * (1 - chance);
      for (let c = 0; c < size; c++) {
        gradient[c] = (gradient[c] as number) + (chance - (labels[i] === true ? 1 : 0)) * (row[c] as number);
        const line = hessian[c] as number[];
        for (let d = 0; d < size; d++) line[d] = (line[d] as number) + w * (row[c] as number) * (row[d] as number);
      }
    });
    const delta = solve(hessian, gradient);
    delta.forEach((by, c) => {
      weights[c] = (weights[c] as number) - by;
    });
    if (delta.every((by) => Math.abs(by) < 1e-8)) break;
  }
  return { mean, spread, weights };
}

export function predictLogistic({ mean, spread, weights }: LogisticModel, row: readonly number[]): number {
  return 1 / (1 + Math.exp(-dot(standardise(row, mean, spread), weights)));
}

function standardise(row: readonly number[], mean: readonly number[], spread: readonly number[]): number[] {
  return [...row.map((value, c) => (value - (mean[c] as number)) / (spread[c] as number)), 1];
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] as number), 0);
}

/** Solves a linear system by Gaussian elimination with partial pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] as number]);
  const size = rows.length;
  for (let c = 0; c < size; c++) {
    const pivot = rows
      .slice(c)
      .reduce((best, row, i) => (Math.abs(row[c] as number) > Math.abs(rows[best]?.[c] as number) ? c + i : best), c);
    [rows[c], rows[pivot]] = [rows[pivot] as number[], rows[c] as number[]];
    const top = rows[c] as number[];
    for (let r = 0; r < size; r++) {
      if (r === c) continue;
      const row = rows[r] as number[];
      const factor = (row[c] as number) / (top[c] as number);
      for (let d = c; d <= size; d++) row[d] = (row[d] as number) - factor * (top[d] as number);
    }
  }
  return rows.map((row, i) => (row[size] as number) / (row[i] as number));
}
