import type { AskedQuestion, ComparedQuestion, Matcher } from "../memory/matcher.ts";

export interface FakeMatcher extends Matcher {
  readonly calls: readonly { readonly asked: AskedQuestion; readonly stored: ComparedQuestion }[];
}

/** Creates a matcher that accepts a pair if `same` returns true. The score of the pair is the cosine. */
export function fakeMatcher(same: (asked: string, stored: string) => boolean): FakeMatcher {
  const calls: { asked: AskedQuestion; stored: ComparedQuestion }[] = [];
  return {
    calls,
    textFor: (question) => question,
    compare: async (asked, all) =>
      all.map((stored) => {
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
      }),
  };
}
