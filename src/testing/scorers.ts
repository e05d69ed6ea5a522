import type { Trees } from "../models/weights/scorer.ts";

/** Two trees over two features; the first one splits on the second feature if the first exceeds its threshold. */
export const SMALL_TREES: Trees = {
  roots: [0, -4],
  feature: [0, 1],
  threshold: [0.4, 0.3],
  left: [-1, -2],
  right: [1, -3],
  missing: [1, 0],
  leaves: [-0.5, 0.1, 0.7, 0.25],
};
