import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadDomain } from "../engine/domain.ts";
import { createLikeness } from "../language/likeness.ts";
import { createSlotVocabulary } from "../language/slot-vocabulary.ts";
import { spark } from "../profiles/spark.ts";
import { readMatchWeights } from "./match.ts";
import { createSlotMatcher } from "./matcher.ts";

const matcher = createSlotMatcher({
  vocabulary: createSlotVocabulary(loadDomain("veterans")),
  likeness: createLikeness(SHARED_PARTS.embedded()),
  weights: readMatchWeights,
  carry: (cosine) => cosine - 0.02,
});
const ABOUT = ["Tinnitus", "Recurrent tinnitus is rated 10 percent under diagnostic code 6260."];
const passage = (n: number) => ({
  chunkId: `c${n}`,
  document: { id: `d${n}`, title: "Tinnitus" },
  headingPath: [],
  text: ABOUT[1] as string,
});
const retrieved = { documents: ["d0", "d1"], chunks: ["c0", "c1"], cited: ["c0"] };
const LEARNED = { type: "learned" } as const;

function judge(
  asked: string,
  stored: string,
  over: { written?: string; cosine?: number; slots?: string | null; settings?: typeof LEARNED | typeof spark.match; found?: number[] } = {},
) {
  const { written = asked, cosine = 0.95, slots = matcher.describe(stored, ABOUT), settings = LEARNED, found = [0, 1] } = over;
  return matcher.read({ question: asked, written, passages: found.map(passage) }, settings)({ question: stored, slots, cosine, retrieved });
}

describe("createSlotMatcher", () => {
  const STORED = "What rating does tinnitus get?";

  it("accepts another wording of the same question", () => {
    expect(judge("What is the rating for tinnitus?", STORED)).toMatchObject({ accepted: true, documents: 1 });
  });

  it.each([
    ["another condition", "What rating does hearing loss get?", STORED],
    ["a code that the stored one lacks", "What rating does tinnitus DC 6261 get?", "What rating does tinnitus DC 6260 get?"],
    ["the opposite", "What rating does tinnitus not get?", STORED],
    [
      "how long it takes, not until when",
      "How long does a Higher-Level Review take?",
      "How long do I have to ask for a Higher-Level Review?",
    ],
    [
      "until when, not how long it takes",
      "How long do I have to ask for a Higher-Level Review?",
      "How long does a Higher-Level Review take?",
    ],
  ])("refuses %s, however near the vectors are", (_what, asked, stored) => {
    for (const settings of [LEARNED, spark.match]) expect(judge(asked, stored, { cosine: 1, settings }).accepted).toBe(false);
  });

  it("compares words as they were read, and nothing where a repair would make a number, a person or a denial of one", () => {
    expect(judge("What is the rating for tinnitus?", STORED, { written: "What is the raiting for tinnitus?" }).accepted).toBe(true);
    for (const [read, written] of [
      ["What rating of seventy percent does tinnitus get?", "What rating of sevnty percent does tinnitus get?"],
      ["What rating does tinnitus of a widow get?", "What rating does tinnitus of a widdow get?"],
      ["What rating does tinnitus never get?", "What rating does tinnitus nevver get?"],
    ] as const)
      expect(judge(read, read, { written })).toMatchObject({ accepted: false, soft: false, rule: "repaired" });
  });

  it("refuses a stored question of which nothing is kept", () => {
    expect(judge(STORED, STORED, { slots: null })).toMatchObject({ accepted: false, rule: "unknown" });
    expect(judge(STORED, STORED, { slots: "null" })).toMatchObject({ accepted: false, rule: "unknown" });
    const { slots, about } = JSON.parse(matcher.describe(STORED, ABOUT)) as { slots: Record<string, unknown>; about: string[] };
    const { shape: _, ...earlier } = slots;
    expect(judge(STORED, STORED, { slots: JSON.stringify({ slots: earlier, about }) })).toMatchObject({ accepted: false, rule: "unknown" });
  });

  it("holds the thresholds of spark, its cosine carried over, over documents", () => {
    const settings = spark.match;
    expect(judge(STORED, STORED, { settings, cosine: 0.9 })).toMatchObject({ accepted: true, documents: 1 });
    expect(judge(STORED, STORED, { settings, cosine: 0.89 })).toMatchObject({ accepted: false, rule: "cosine" });
    expect(judge(STORED, STORED, { settings, found: [0] })).toMatchObject({ accepted: false, rule: "documents", documents: 0.5 });
    expect(judge(STORED, STORED, { settings, found: [] })).toMatchObject({ accepted: false, rule: "documents", documents: null });
  });

  it("embeds one spelling of a question for the learned score, and the question itself for thresholds", () => {
    expect(matcher.textFor("What's the HLR deadline?", LEARNED)).not.toBe("What's the HLR deadline?");
    expect(matcher.textFor("What's the HLR deadline?", spark.match)).toBe("What's the HLR deadline?");
  });
});
