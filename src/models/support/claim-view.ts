import type { Amount } from "./amounts.ts";
import type { Difference } from "./difference.ts";
import type { OppositeKind } from "./lexicon.ts";
import type { RecordLine } from "./records.ts";
import type { SupportEvidence, SupportSentence, SupportToken } from "./text.ts";

/** A word of the claim that carries a topic; forms of one word count once. */
export interface ClaimWord {
  readonly token: SupportToken;
  /** Index among the claim's tokens. */
  readonly at: number;
  /** Share of the claim's weight; they sum to 1. */
  readonly weight: number;
  /** The encoder's own weight: rare words count more. */
  readonly rarity: number;
  /** Similarity of the nearest word of the evidence: 1 for a form of it. */
  readonly best: number;
  /** The same within the sentences that cover the claim best. */
  readonly bestInTop: number;
  readonly isName: boolean;
  /** Stands in the covering sentences, and only with the other polarity. */
  readonly flipped: boolean;
  /** How much of what stands around it in the claim stands around it somewhere in the evidence, 0 to 1; 0 when it is not there. */
  readonly context: number;
}

export interface ClaimAmount {
  readonly amount: Amount;
  /** The same number with a unit that fits stands in the evidence. */
  readonly found: boolean;
  /** The number stands there with another unit only. */
  readonly otherUnit: boolean;
  /** A number within two percent stands there. */
  readonly near: boolean;
  /** How much of what stands around it in the claim stands around it in the evidence, 0 to 1. */
  readonly role: number;
  /** The covering sentences hold another number of its kind instead. */
  readonly rival: boolean;
}

export interface ClaimOpposite {
  readonly kind: OppositeKind;
  readonly token: SupportToken;
  /** The evidence has no word of the claim's side at all. */
  readonly nowhere: boolean;
}

export interface ClaimField {
  readonly line: RecordLine;
  readonly agrees: boolean;
  readonly at: readonly number[];
}

/** A part of the claim between commas and joining words. */
export interface ClaimClause {
  /** Weighted share of its words that the evidence holds, the same with related words, and the most that one sentence holds. */
  readonly hard: number;
  readonly soft: number;
  readonly one: number;
}

/** A claim beside its evidence, as every feature sees it. */
export interface SupportView {
  readonly claim: SupportSentence;
  readonly evidence: SupportEvidence;
  readonly words: readonly ClaimWord[];
  /** Up to three sentences that together cover the claim best, best first. */
  readonly top: readonly SupportSentence[];
  /** Weighted share of the claim's words that the first one, two, three of `top` hold: forms of the word, and related words by similarity. */
  readonly hard: readonly number[];
  readonly soft: readonly number[];
  readonly clauses: readonly ClaimClause[];
  readonly amounts: readonly ClaimAmount[];
  readonly opposites: readonly ClaimOpposite[];
  /** Fields of yes or no that the claim speaks of; `null` without a record. */
  readonly fields: readonly ClaimField[] | null;
  /** Keys without a value that the claim speaks of; `null` without a record. */
  readonly unknownFields: number | null;
  /** Per time of day beside a day of the week: share of the days on which the evidence has that time. */
  readonly hours: readonly number[];
  /** Per day that the claim calls closed: does the evidence have hours for it? */
  readonly closedYetOpen: readonly boolean[];
  /** Cosine of the claim and each sentence, the largest first, at most three. */
  readonly cosines: readonly number[];
  readonly topForms: ReadonlySet<string>;
  /** Places of the claim's words in the best sentence, in the claim's order. */
  readonly orderInBest: readonly number[];
  /** The claim beside the sentence nearest to its wording; `null` when none shares a word. */
  readonly difference: Difference | null;
}
