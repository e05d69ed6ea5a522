import { sourcebound } from "../profiles/sourcebound.ts";
import { checkSentence } from "./check.ts";
import type { CitedQuote } from "./finding.ts";
import type { Reader } from "./statements.ts";
import type { SupportScorer } from "./support-scorer.ts";

export interface BorneOut {
  /** `null`: it could not be told. */
  readonly supported: boolean | null;
  readonly reason: string;
}

/** Do texts together bear a sentence out? By the checks of the default profile, whoever wrote it: exact values, names, polarity and wording, and the learned score. */
export type BearsOut = (claim: string, texts: readonly CitedQuote[], question: string) => Promise<BorneOut>;

/** @param support the learned score; `null`: none, and wording alone is left untold */
export function createBearsOut(reader: Reader, support: SupportScorer | null): BearsOut {
  const settings = { ...sourcebound.check, recite: false, uncited: "warn" as const };
  return async (claim, cited, question) => {
    const checked = await checkSentence({ text: claim, cited }, { settings, hosts: [], homePage: null, reader, question, support });
    return { supported: checked.status === "unchecked" ? null : checked.status === "supported", reason: checked.reason };
  };
}
