import type { TextRange } from "../types.ts";

/** What the checks need of a learned support score; `null` in a place: that pair could not be scored. */
export interface SupportScorer {
  readonly id: string;
  score(
    pairs: readonly { readonly claim: string; readonly evidence: readonly string[] }[],
  ): Promise<readonly ({ readonly score: number; readonly spans: readonly TextRange[]; readonly reason: string } | null)[]>;
}
