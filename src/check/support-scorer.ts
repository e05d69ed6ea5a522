import type { TextRange } from "../types.ts";

/** What the checks need of a learned support score; `null` in a place: that pair could not be scored. */
export interface SupportScorer {
  readonly id: string;
  score(
    pairs: readonly { readonly claim: string; readonly evidence: readonly string[] }[],
  ): Promise<readonly ((Scored & { readonly wording?: Scored | undefined }) | null)[]>;
}

interface Scored {
  readonly score: number;
  readonly spans: readonly TextRange[];
  readonly reason: string;
}
