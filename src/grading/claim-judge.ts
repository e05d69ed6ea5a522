import type { CitedQuote } from "../checks/finding.ts";
import { createEntailmentCheck } from "../checks/guard-answer.ts";
import { createReader } from "../checks/statements.ts";
import { createShippedSupport } from "../engine/local-models.ts";
import { createReading } from "../language/content-words.ts";
import { keyOf } from "../language/values.ts";
import type { SupportScorer } from "../models/support.ts";

export interface JudgedClaim {
  /** Whether the cited texts support the sentence; `null`: not scored. */
  readonly supported: boolean | null;
  /** Fault of the sentence; `null`: none. `unscored`: the sentence could not be scored. */
  readonly fault: "fabricated" | "stitched" | "misattributed" | "unscored" | null;
  readonly reason: string;
}

export type ClaimJudge = ReturnType<typeof createClaimJudge>;

/**
 * Creates a judge of sentences of any origin. It uses the default profile's checks: exact values and names, and the
 * support score.
 * @param support support scorer; `null`: none, so that paraphrases stay unscored
 */
export function createClaimJudge(support: SupportScorer | null) {
  const verdictOf = createEntailmentCheck(createReader(), support);
  const read = createReading();
  /** Returns the content words of a text by their roots, and its values in canonical form. */
  function thingsIn(text: string): Set<string> {
    const { roots, values } = read(text);
    return new Set([...roots, ...values.map(keyOf)]);
  }

  /**
   * Judges a sentence by its cited texts. If they do not support it, classifies the fault.
   * @param others passages that the sentence could have cited
   */
  async function judge(claim: string, cited: readonly CitedQuote[], others: readonly CitedQuote[], question: string): Promise<JudgedClaim> {
    const own = await verdictOf(claim, cited, question);
    if (own.supported === true) return { supported: true, fault: null, reason: own.reason };
    if (own.supported === null) return { supported: null, fault: "unscored", reason: own.reason };
    // Compare words and values before the support score, which confuses "films" and "books" if everything else agrees.
    const held = heldBy(claim, [...cited, ...others], question);
    if (held === "apart")
      return { supported: false, fault: "stitched", reason: "its words and values occur in several passages, but in no single one" };
    for (const other of others) {
      if ((await verdictOf(claim, [other], question)).supported === true)
        return { supported: false, fault: "misattributed", reason: `another source supports it: “${shorten(other.text)}”` };
    }
    return { supported: false, fault: "fabricated", reason: own.reason };
  }

  /**
   * Returns whether the passages `places` contain the words and values of a claim that the question does not contain: all in
   * one passage (`together`), all but spread over several (`apart`), or `not all`.
   */
  function heldBy(claim: string, places: readonly CitedQuote[], question: string): "together" | "apart" | "not all" {
    const asked = thingsIn(question);
    const claimed = [...thingsIn(claim)].filter((thing) => !asked.has(thing));
    const held = places.map(({ text, above = [] }) => thingsIn([text, ...above].join("\n")));
    if (claimed.length === 0 || held.some((one) => claimed.every((thing) => one.has(thing)))) return "together";
    return claimed.every((thing) => held.some((one) => one.has(thing))) ? "apart" : "not all";
  }

  return {
    judge,
    /** Returns whether the texts together support the claim, ignoring the question's words; `null`: not scored. */
    supports: async (claim: string, texts: readonly CitedQuote[], question: string) =>
      texts.length === 0 ? false : (await verdictOf(claim, texts, question)).supported,
  };
}

/** Maximum characters of a passage that are quoted in a reason. */
const SHOWN = 120;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`;
}

/** Creates a judge with the bundled support score, whatever the configuration, so that runs are comparable. */
export function createShippedJudge(): ClaimJudge {
  return createClaimJudge(createShippedSupport());
}
