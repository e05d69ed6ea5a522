/** Weights of a logistic regression. */
export interface LogisticModel {
  readonly weights: Float64Array;
  readonly bias: number;
}

interface Row {
  readonly features: readonly number[];
  readonly positive: boolean;
  /** Weight within its class. @default 1 */
  readonly weight?: number;
}

interface Settings {
  readonly epochs: number;
  readonly rate: number;
  readonly l2: number;
}

/** Fits logistic regression by full-batch gradient descent with momentum; both classes have equal total weight. */
export function fitLogistic(rows: readonly Row[], { epochs, rate, l2 }: Settings): LogisticModel {
  const size = rows[0]?.features.length ?? 0;
  const weights = new Float64Array(size);
  const velocity = new Float64Array(size);
  let bias = 0;
  let pace = 0;
  const total = (wanted: boolean) => rows.reduce((sum, { positive, weight = 1 }) => sum + (positive === wanted ? weight : 0), 0);
  const totals = { positive: total(true), negative: total(false) };
  // Most hashed features are zero, so only the others are visited.
  const sparse = rows.map(({ features, positive, weight = 1 }) => {
    const at = Int32Array.from(features.flatMap((value, i) => (value === 0 ? [] : [i])));
    return { at, by: Float64Array.from(at, (i) => features[i] as number), positive, share: weight };
  });
  for (let epoch = 0; epoch < epochs; epoch++) {
    const gradient = new Float64Array(size);
    let slope = 0;
    for (const { at, by, positive, share } of sparse) {
      const weight = (0.5 / (positive ? totals.positive : totals.negative)) * share;
      let sum = bias;
      for (let i = 0; i < at.length; i++) sum += (weights[at[i] as number] as number) * (by[i] as number);
      const error = (1 / (1 + Math.exp(-sum)) - (positive ? 1 : 0)) * weight;
      for (let i = 0; i < at.length; i++) {
        const place = at[i] as number;
        gradient[place] = (gradient[place] as number) + error * (by[i] as number);
      }
      slope += error;
    }
    for (let i = 0; i < size; i++) {
      velocity[i] = 0.9 * (velocity[i] as number) - rate * ((gradient[i] as number) + l2 * (weights[i] as number));
      weights[i] = (weights[i] as number) + (velocity[i] as number);
    }
    pace = 0.9 * pace - rate * slope;
    bias += pace;
  }
  return { weights, bias };
}

/** Returns the probability that a row with these features is positive. */
export function probability({ weights, bias }: LogisticModel, features: readonly number[]): number {
  let sum = bias;
  for (let i = 0; i < features.length; i++) sum += (weights[i] as number) * (features[i] as number);
  return 1 / (1 + Math.exp(-sum));
}
