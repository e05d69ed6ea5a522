import type { ConflictKind, TextRange } from "../types.ts";

/** Two facts about the same thing: they differ in one point, or bear each other out. */
export type Comparison =
  | {
      readonly type: "differ";
      readonly kind: ConflictKind;
      readonly certainty: number;
      readonly a: TextRange;
      readonly b: TextRange;
    }
  | { readonly type: "agree"; readonly certainty: number };
