import type { CitedQuote } from "../checks/finding.ts";
import { createBearsOut } from "../checks/guard-answer.ts";
import { createReader } from "../checks/statements.ts";
import { createShippedSupport } from "../engine/reader-keeper.ts";
import { createReading } from "../language/reading.ts";
import { keyOf } from "../language/values.ts";
import type { SupportScorer } from "../models/support.ts";

/** What is wrong with a sentence: nothing, or one of the three ways in which an answer goes wrong; `unscored`: it could not be told. */
export type SentenceFault = "fabricated" | "stitched" | "misattributed" | "unscored" | null;

export interface JudgedClaim {
  /** Do the texts that it cites bear it out? `null`: it could not be scored. */
  readonly supported: boolean | null;
  readonly fault: SentenceFault;
  readonly reason: string;
}

/** Judges sentences of answers, whoever wrote them, by the checks of the default profile: exact values and names, and the support score. */
export interface ClaimJudge {
  /** Do the texts together bear the claim out? Words of the question are no claims. `null`: it could not be scored. */
  supports(claim: string, texts: readonly CitedQuote[], question: string): Promise<boolean | null>;
  /** The same of the texts that a sentence cites, and if they do not, which fault it is; `others`: passages that it might have cited. */
  judge(claim: string, cited: readonly CitedQuote[], others: readonly CitedQuote[], question: string): Promise<JudgedClaim>;
}

/** @param support the learned score; `null`: none, and wording alone is left unscored */
export function createClaimJudge(support: SupportScorer | null): ClaimJudge {
  const verdictOf = createBearsOut(createReader(), support);
  const read = createReading();
  /** Words of meaning and values, each by the root or the value that it is known by. */
  function thingsIn(text: string): Set<string> {
    const { roots, values } = read(text);
    return new Set([...roots, ...values.map(keyOf)]);
  }

  async function judge(claim: string, cited: readonly CitedQuote[], others: readonly CitedQuote[], question: string): Promise<JudgedClaim> {
    const own = await verdictOf(claim, cited, question);
    if (own.supported === true) return { supported: true, fault: null, reason: own.reason };
    if (own.supported === null) return { supported: null, fault: "unscored", reason: own.reason };
    // What is exact decides first: the learned score takes "films" for "books" where everything else agrees.
    const held = heldBy(claim, [...cited, ...others], question);
    if (held === "apart")
      return { supported: false, fault: "stitched", reason: "its words and values stand in different places, and in none together" };
    for (const other of others) {
      if ((await verdictOf(claim, [other], question)).supported === true)
        return { supported: false, fault: "misattributed", reason: `another source bears it out: “${shorten(other.text)}”` };
    }
    return { supported: false, fault: "fabricated", reason: own.reason };
  }

  /** Where the words and values of a claim stand that the question does not bring: all in one place, all but in none together, or some in none. */
  function heldBy(claim: string, places: readonly CitedQuote[], question: string): "together" | "apart" | "not all" {
    const asked = thingsIn(question);
    const claimed = [...thingsIn(claim)].filter((thing) => !asked.has(thing));
    const held = places.map(({ text, above = [] }) => thingsIn([text, ...above].join("\n")));
    if (claimed.length === 0 || held.some((one) => claimed.every((thing) => one.has(thing)))) return "together";
    return claimed.every((thing) => held.some((one) => one.has(thing))) ? "apart" : "not all";
  }

  return {
    judge,
    supports: async (claim, texts, question) => (texts.length === 0 ? false : (await verdictOf(claim, texts, question)).supported),
  };
}

/** Characters of a source that a reason shows. */
const SHOWN = 120;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`;
}

/** A judge with the learned score that ships, whatever is configured: with a judge that is another model each time runs could not be compared. */
export function createShippedJudge(): ClaimJudge {
  return createClaimJudge(createShippedSupport());
}
