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
  /**
   * Fault of the sentence; `null`: none. `misattributed`: only a passage that it does not cite supports it. `stitched`: its
   * words and values come from several passages, but from no single one. `fabricated`: nothing supports it. `unscored`: the
   * sentence could not be scored.
   */
  readonly fault: "fabricated" | "stitched" | "misattributed" | "unscored" | null;
  readonly reason: string;
}

export type ClaimJudge = ReturnType<typeof createClaimJudge>;

/**
 * Creates a judge of sentences, whether the engine or another system wrote them. It uses the checks of the default
 * profile: exact values and names, and the support score.
 * @param support support scorer; `null`: none, so that paraphrases stay unscored
 */
export function createClaimJudge(support: SupportScorer | null) {
  const verdictOf = createEntailmentCheck(createReader(), support);
  const read = createReading();
  /** Returns the roots of the content words of a text, and the keys of its values. */
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
    // Compare words and values first. The support score confuses "films" and "books" if everything else agrees.
    if (isStitched(claim, [...cited, ...others], question))
      return { supported: false, fault: "stitched", reason: "its words and values occur in several passages, but in no single one" };
    for (const other of others) {
      if ((await verdictOf(claim, [other], question)).supported === true)
        return { supported: false, fault: "misattributed", reason: `another source supports it: “${shorten(other.text)}”` };
    }
    return { supported: false, fault: "fabricated", reason: own.reason };
  }

  /**
   * Returns whether all words and values of a claim, except those that the question contains, occur in passages, but no
   * single passage contains all of them.
   */
  function isStitched(claim: string, places: readonly CitedQuote[], question: string): boolean {
    const asked = thingsIn(question);
    const claimed = [...thingsIn(claim)].filter((thing) => !asked.has(thing));
    const held = places.map(({ text, above = [] }) => thingsIn([text, ...above].join("\n")));
    const isInOne = claimed.length === 0 || held.some((one) => claimed.every((thing) => one.has(thing)));
    return !isInOne && claimed.every((thing) => held.some((one) => one.has(thing)));
  }

  return {
    judge,
    /** Returns whether the texts together support the claim, which answers `question`; `null`: not scored. */
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
