import type { CitedQuote } from "../checks/finding.ts";
import { createEntailmentCheck } from "../checks/guard-answer.ts";
import { createReader } from "../checks/statements.ts";
import { createShippedSupport } from "../engine/local-models.ts";
import { createReading } from "../language/content-words.ts";
import { keyOf } from "../language/values.ts";
import type { SupportScorer } from "../models/support.ts";

export interface JudgedClaim {
  /** Whether the cited texts support it; `null`: not scored. */
  readonly supported: boolean | null;
  /** `null`: no fault. `unscored`: undecided. */
  readonly fault: "fabricated" | "stitched" | "misattributed" | "unscored" | null;
  readonly reason: string;
}

export type ClaimJudge = ReturnType<typeof createClaimJudge>;

/**
 * Creates a judge of sentences of any writer by the default profile's checks: exact values and names, and the support score.
 * @param support the learned score; `null`: none, so that paraphrases stay unscored
 */
export function createClaimJudge(support: SupportScorer | null) {
  const verdictOf = createEntailmentCheck(createReader(), support);
  const read = createReading();
  /** Returns content words and values, by their roots and canonical values. */
  function thingsIn(text: string): Set<string> {
    const { roots, values } = read(text);
    return new Set([...roots, ...values.map(keyOf)]);
  }

  /** Judges a sentence by its cited texts and, if unsupported, classifies the fault; `others`: passages that it could have cited. */
  async function judge(claim: string, cited: readonly CitedQuote[], others: readonly CitedQuote[], question: string): Promise<JudgedClaim> {
    const own = await verdictOf(claim, cited, question);
    if (own.supported === true) return { supported: true, fault: null, reason: own.reason };
    if (own.supported === null) return { supported: null, fault: "unscored", reason: own.reason };
    // Exact matching comes first, because the learned score confuses "films" and "books" if everything else agrees.
    const held = heldBy(claim, [...cited, ...others], question);
    if (held === "apart")
      return { supported: false, fault: "stitched", reason: "its words and values stand in different places, and in none together" };
    for (const other of others) {
      if ((await verdictOf(claim, [other], question)).supported === true)
        return { supported: false, fault: "misattributed", reason: `another source supports it: “${shorten(other.text)}”` };
    }
    return { supported: false, fault: "fabricated", reason: own.reason };
  }

  /** Returns where the claim's words and values occur, apart from the question's: in one place, only across several, or not all. */
  function heldBy(claim: string, places: readonly CitedQuote[], question: string): "together" | "apart" | "not all" {
    const asked = thingsIn(question);
    const claimed = [...thingsIn(claim)].filter((thing) => !asked.has(thing));
    const held = places.map(({ text, above = [] }) => thingsIn([text, ...above].join("\n")));
    if (claimed.length === 0 || held.some((one) => claimed.every((thing) => one.has(thing)))) return "together";
    return claimed.every((thing) => held.some((one) => one.has(thing))) ? "apart" : "not all";
  }

  return {
    judge,
    /** Returns whether the texts together support the claim, apart from words of the question; `null`: not scored. */
    supports: async (claim: string, texts: readonly CitedQuote[], question: string) =>
      texts.length === 0 ? false : (await verdictOf(claim, texts, question)).supported,
  };
}

/** Maximum characters of a source in a reason. */
const SHOWN = 120;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`;
}

/** Creates a judge that always uses the bundled support score, so that runs are comparable. */
export function createShippedJudge(): ClaimJudge {
  return createClaimJudge(createShippedSupport());
}
