import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import type { CitedQuote } from "../check/finding.ts";
import { createEmbeddedSupportScorer } from "../models/embedded-support.ts";
import { createClaimJudge } from "./claim-judge.ts";

const quote = (text: string): CitedQuote => ({ text, url: null, exact: true });
const BOOKS = quote("Books may be kept for 21 days.");
const FILMS = quote("Films may be kept for 7 days.");
const CARDS = quote("A library card costs 5 dollars per year.");
const QUESTION = "What does the library say?";

describe("createClaimJudge", () => {
  const judge = createClaimJudge(createEmbeddedSupportScorer(SHARED_PARTS.embedded()));
  const faultOf = async (claim: string, cited: CitedQuote[], others: CitedQuote[]) =>
    (await judge.judge(claim, cited, others, QUESTION)).fault;

  it("finds nothing in what is cited word for word or in other words", async () => {
    expect(await faultOf("Books may be kept for 21 days.", [BOOKS], [FILMS])).toBeNull();
    expect(await faultOf("You may keep books for 21 days.", [BOOKS], [FILMS])).toBeNull();
  });

  it("tells the three faults apart: made up, put together from two places, attributed to the wrong one", async () => {
    expect(await faultOf("Books may be kept for 90 days.", [BOOKS], [FILMS, CARDS])).toBe("fabricated");
    expect(await faultOf("Films may be kept for 21 days.", [FILMS], [BOOKS, CARDS])).toBe("stitched");
    expect(await faultOf("A library card costs 5 dollars per year.", [BOOKS], [FILMS, CARDS])).toBe("misattributed");
  });

  it("calls what denies its source made up, for no place says it", async () => {
    expect(await faultOf("Books may not be kept for 21 days.", [BOOKS], [FILMS])).toBe("fabricated");
  });

  it("says that wording could not be scored where no score is installed, and never 0", async () => {
    const bare = createClaimJudge(null);
    expect(await bare.judge("One keeps books for 21 days.", [BOOKS], [], QUESTION)).toMatchObject({ supported: null, fault: "unscored" });
    expect(await bare.supports("One keeps books for 21 days.", [BOOKS], QUESTION)).toBeNull();
  });

  it("finds nothing to bear out a sentence in no text at all", async () => {
    expect(await judge.supports("Books may be kept.", [], QUESTION)).toBe(false);
    expect(await faultOf("Books may be kept for 21 days.", [], [BOOKS])).toBe("misattributed");
  });
});
