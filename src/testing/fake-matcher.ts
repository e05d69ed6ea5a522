import type { AskedQuestion, ComparedQuestion, Matcher } from "../remember/matcher.ts";

export interface FakeMatcher extends Matcher {
  /** Every comparison that was asked for. */
  readonly calls: readonly { readonly asked: AskedQuestion; readonly stored: ComparedQuestion }[];
}

/** A matcher that accepts what a test says, scored by cosine. */
export function fakeMatcher(same: (asked: string, stored: string) => boolean): FakeMatcher {
  const calls: { asked: AskedQuestion; stored: ComparedQuestion }[] = [];
  return {
    calls,
    describe: (question, about) => JSON.stringify({ question, about }),
    textFor: (question) => question,
    read: (asked) => (stored) => {
      calls.push({ asked, stored });
      const accepted = same(asked.question, stored.question);
      return {
        accepted,
        score: stored.cosine,
        entities: null,
        documents: null,
        rule: accepted ? "same" : "fake",
        reason: "as the test says",
      };
    },
  };
}
