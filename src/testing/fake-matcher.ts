import type { AskedQuestion, ComparedQuestion, Matcher } from "../memory/matcher.ts";

export interface FakeMatcher extends Matcher {
  readonly calls: readonly { readonly asked: AskedQuestion; readonly stored: ComparedQuestion }[];
}

/** Creates a matcher that accepts pairs by `same`, scored by cosine; the cross-encoder may overrule the rejections that `soft` names. */
export function fakeMatcher(
  same: (asked: string, stored: string) => boolean,
  soft: (asked: string, stored: string) => boolean = () => false,
): FakeMatcher {
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
        soft: !accepted && soft(asked.question, stored.question),
        score: stored.cosine,
        entities: null,
        documents: null,
        rule: accepted ? "same" : "fake",
        reason: "as the test says",
      };
    },
  };
}
