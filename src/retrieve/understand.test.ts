import { stemmer } from "stemmer";
import { describe, expect, it } from "vitest";
import { PLAIN_QUERY } from "../profiles/profile.ts";
import { createEnglishWords } from "../reading/content-words.ts";
import { tokenize } from "../text/tokens.ts";
import { createThesaurus, questionWords, understand } from "./understand.ts";
import { Vocabulary } from "./vocabulary.ts";

const everything = { frame: true, repair: true, expand: true, codesFirst: true };
const { isEnglish } = createEnglishWords();

function parts() {
  const vocabulary = new Vocabulary();
  const held = "pension compensation disability spouse laws life camp individual unemployability review";
  vocabulary.add({ tenant: null, access: "public" }, new Map(held.split(" ").map((word) => [word, stemmer(word)])));
  const tokens = (text: string) => tokenize(text);
  return {
    thesaurus: createThesaurus(
      { abbreviations: { TDIU: ["individual unemployability"] }, synonyms: [["wife", "spouse"]] },
      tokens,
      stemmer,
    ),
    tokens,
    knows: (word: string) => vocabulary.has(stemmer(word), () => true) || isEnglish(word),
    repair: (word: string) => vocabulary.repair(word, () => true),
    isSlipOfReal: () => true,
  };
}
const read = (question: string) => understand(question, parts(), everything);

describe("understand", () => {
  it("asks for the content, not for the frame", () => {
    expect(read("How long do I have to wait for a pension?").asked).toEqual(["wait", "pension"]);
  });

  it("reads a misspelt word as the corpus has it, keeps the written one too, and says so", () => {
    const { asked, terms, repairs, text } = read("my pensoin");
    expect(repairs).toEqual([{ written: "pensoin", read: "pension" }]);
    expect(asked).toEqual(["pension"]);
    expect(text).toBe("my pension");
    expect(terms.map(({ token }) => token)).toEqual(["pensoin", "pension"]);
  });

  it("never takes for misspelt: words of the language, codes, names with inner capitals, short words, words of the domain pack", () => {
    for (const question of ["lawns and wife", "VA Form 21-526EZ", "VALife Penshun Co", "vet pnsn", "tdiu"]) {
      const written = read(question).repairs.map((repair) => repair.written);
      expect(written.filter((word) => word !== "penshun")).toEqual([]);
    }
  });

  it("adds other words below the question's own", () => {
    const terms = new Map(read("TDIU pension").terms.map(({ token, weight }) => [token, weight]));
    expect(terms.get("tdiu")).toBe(1);
    expect(terms.get("unemploy")).toBeGreaterThan(0);
    expect(terms.get("unemploy")).toBeLessThan(0.5);
  });

  it("counts a passage that says the same in other words as holding the question's word", () => {
    const words = questionWords(read("TDIU"), read("TDIU"), { tokens: (text) => tokenize(text), idf: () => 1, has: () => true });
    expect(words.tokens("about individual unemployability")).toContain("tdiu");
    expect(words.tokens("about unemployability")).not.toContain("tdiu");
  });

  it("searches the question as it stands when the profile says so", () => {
    const { terms, repairs, codes } = understand("How long is my pensoin DC 6260", parts(), PLAIN_QUERY);
    expect(terms.map(({ token }) => token)).toEqual(tokenize("How long is my pensoin DC 6260"));
    expect([repairs, codes]).toEqual([[], []]);
  });

  it.each([
    ["nothing", ""],
    ["only stop words", "is it the of and"],
    ["one word 500 times", "pensoin ".repeat(500)],
    ["emoji", "🙂🙂🙂 👩‍👩‍👧"],
    ["right-to-left", "مرحبا كيف أحصل على المعاش"],
    ["a lone surrogate", "\ud83d pension"],
  ])("stands %s", (_, question) => {
    const { terms, repairs } = read(question);
    expect(terms.every(({ weight }) => Number.isFinite(weight))).toBe(true);
    expect(repairs.length).toBeLessThanOrEqual(1);
  });
});
