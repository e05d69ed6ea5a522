import { describe, expect, it } from "vitest";
import type { SupportScorer } from "../models/support.ts";
import { withLearnedAgreement } from "../pipeline/verify.ts";
import type { Passage } from "../shared/types.ts";
import { fakeSupport } from "../testing/fake-support.ts";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { comparePassages } from "./compare-passages.ts";
import { createFactReader } from "./facts.ts";

const words = fakeWords();
const signal = new AbortController().signal;
const ASKED = words.tokens("Who may borrow the maps of the library?");
const RESIDENTS = "Every resident of the town may borrow the maps of the library.";
const PEOPLE = "The maps of the library are lent to people who live here.";

const said = (...texts: string[]): Passage[] =>
  texts.map((text, i) => ({ ...fakePassage({ document: `d${i}`, title: "Maps", segments: [text] }), sid: `S${i + 1}` }));
const compare = (passages: readonly Passage[]) => comparePassages(ASKED, passages, { words, reader: createFactReader(), precedence: [] });
const agreements = async (passages: Passage[], support: Pick<SupportScorer, "score">) => {
  const compared = await withLearnedAgreement(compare(passages), passages, support, signal);
  return passages.map((passage) => {
    const { agreement, outlier } = compared.of(passage);
    return [agreement.score, outlier];
  });
};

describe("withLearnedAgreement", () => {
  it("lets the claim score vote on a paraphrase, where rules find nothing", async () => {
    const passages = said(RESIDENTS, PEOPLE);
    expect(passages.map((passage) => compare(passages).of(passage).agreement.score)).toEqual([null, null]);
    const agree = [1, false];
    const sure = fakeSupport(() => ({ score: 0.99 }));
    expect(await agreements(passages, sure)).toEqual([agree, agree]);
  });

  it("gives no vote for a neutral score, or if nothing could be scored", async () => {
    const none = [null, false];
    for (const support of [fakeSupport(() => ({ score: 0.1 })), fakeSupport(() => null)])
      expect(await agreements(said(RESIDENTS, PEOPLE), support)).toEqual([none, none]);
  });

  it("skips passages that the rules compared, irrelevant ones, and two parts of one place", async () => {
    const counting = fakeSupport(() => null);
    const compared = (days: number) => `A map of the library may be borrowed for ${days} days.`;
    await agreements(said(compared(5), compared(8)), counting);
    await agreements(said(RESIDENTS, "The roof was repaired in spring by a firm from the valley."), counting);
    const [one] = said(RESIDENTS) as [Passage];
    await agreements([one, { ...one, sid: "S2" }], counting);
    expect(counting.asked).toEqual([]);
  });
});
