import { describe, expect, it } from "vitest";
import type { SupportScorer } from "../models/support.ts";
import { withLearnedAgreement } from "../pipeline/verify.ts";
import type { Passage } from "../shared/types.ts";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { comparePassages } from "./compare-passages.ts";
import { createFactReader } from "./facts.ts";

const words = fakeWords();
const signal = new AbortController().signal;
const ASKED = words.tokens("Who may borrow the maps of the library?");
const RESIDENTS = "Every resident of the town may borrow the maps of the library.";
const PEOPLE = "The maps of the library are lent to people who live here.";

const said = (...texts: string[]): Passage[] =>
  texts.map((text, i) => ({ ...fakePassage({ document: `d${i}`, title: "Maps", pieces: [text] }), sid: `S${i + 1}` }));
const compare = (passages: readonly Passage[]) => comparePassages(ASKED, passages, { words, reader: createFactReader(), precedence: [] });
const scoring = (score: number): Pick<SupportScorer, "score"> => ({
  score: async (pairs) => pairs.map(() => ({ score, spans: [], reason: "" })),
});
const agreements = async (passages: Passage[], support: Pick<SupportScorer, "score">) => {
  const compared = await withLearnedAgreement(compare(passages), passages, support, signal);
  return passages.map((passage) => {
    const { agreement, outlier } = compared.of(passage);
    return [agreement.score, outlier];
  });
};

describe("withLearnedAgreement", () => {
  it("is silent by rules where the same stands in other words, and lets the score of claims vote", async () => {
    const passages = said(RESIDENTS, PEOPLE);
    expect(passages.map((passage) => compare(passages).of(passage).agreement.score)).toEqual([null, null]);
    expect(await agreements(passages, scoring(0.99))).toEqual([
      [1, false],
      [1, false],
    ]);
  });

  it("gives no vote where neither is told, and where nothing could be scored", async () => {
    expect(await agreements(said(RESIDENTS, PEOPLE), scoring(0.1))).toEqual([
      [null, false],
      [null, false],
    ]);
    const silent = { score: async (pairs: readonly unknown[]) => pairs.map(() => null) };
    expect(await agreements(said(RESIDENTS, PEOPLE), silent)).toEqual([
      [null, false],
      [null, false],
    ]);
  });

  it("asks nothing of passages that the rules compared, of what is not about the question, or of two parts of one place", async () => {
    const asked: string[] = [];
    const counting = {
      score: async (pairs: readonly { claim: string }[]) => {
        asked.push(...pairs.map(({ claim }) => claim));
        return pairs.map(() => null);
      },
    };
    await agreements(
      said("A map of the library may be borrowed for 5 days.", "A map of the library may be borrowed for 8 days."),
      counting,
    );
    await agreements(said(RESIDENTS, "The roof was repaired in spring by a firm from the valley."), counting);
    const [one] = said(RESIDENTS) as [Passage];
    await agreements([one, { ...one, sid: "S2" }], counting);
    expect(asked).toEqual([]);
  });
});
