import { stemmer } from "stemmer";
import { describe, expect, it } from "vitest";
import { nearSpelled, nearSpelledAsked } from "../../test/support/near-spelled.ts";
import { createEnglishWords } from "../language/content-words.ts";
import { PLAIN_QUERY } from "../profiles/profile.ts";
import { differInAffix, isSlip } from "../text/spelling.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { createThesaurus, isSureRepair, questionWords, understand } from "./understand.ts";
import { Vocabulary } from "./vocabulary.ts";

const everything = { frame: true, repair: true, expand: true, codesFirst: true };
const english = createEnglishWords();

function parts() {
  const vocabulary = new Vocabulary();
  const held = "pension compensation disability spouse laws life camp individual unemployability review";
  vocabulary.add({ tenant: null, access: "public" }, new Set(held.split(" ")));
  const tokens = (text: string) => tokenize(text);
  return {
    thesaurus: createThesaurus(
      { abbreviations: { TDIU: ["individual unemployability"] }, synonyms: [["wife", "spouse"]] },
      tokens,
      stemmer,
    ),
    tokens,
    stem: stemmer,
    real: english.real,
    held: async (tokens: readonly string[]) => new Set(tokens.filter((token) => held.split(" ").map(stemmer).includes(token))),
    similar: async (word: string) => vocabulary.near(word, () => true),
  };
}
const read = (question: string) => understand(question, parts(), everything);

describe("understand", () => {
  it("searches for content words", async () => {
    expect((await read("How long do I have to wait for a pension?")).asked).toEqual(["wait", "pension"]);
  });

  it("corrects a misspelt word to one of the corpus, keeps the original, and reports it", async () => {
    const { asked, terms, repairs, text } = await read("my pensoin");
    expect(repairs).toEqual([{ written: "pensoin", read: "pension" }]);
    expect(asked).toEqual(["pension"]);
    expect(text).toBe("my pension");
    expect(terms.map(({ token }) => token)).toEqual(["pensoin", "pension"]);
  });

  it("does not correct words of the language, codes, names with inner capitals, short words, or words of the domain pack", async () => {
    for (const question of ["lawns and wife", "VA Form 21-526EZ", "VALife Penshun Co", "vet pnsn", "tdiu"]) {
      const written = (await read(question)).repairs.map((repair) => repair.written);
      expect(written.filter((word) => word !== "penshun")).toEqual([]);
    }
  });

  it("adds synonyms with less weight than the question's own words", async () => {
    const terms = new Map((await read("TDIU pension")).terms.map(({ token, weight }) => [token, weight]));
    expect(terms.get("tdiu")).toBe(1);
    expect(terms.get("unemploy")).toBeGreaterThan(0);
    expect(terms.get("unemploy")).toBeLessThan(0.5);
  });

  it("counts a synonym in a passage as the question's word", async () => {
    const words = questionWords(await read("TDIU"), await read("TDIU"), {
      tokens: (text) => tokenize(text),
      idf: () => 1,
      has: () => true,
    });
    expect(words.tokens("about individual unemployability")).toContain("tdiu");
    expect(words.tokens("about unemployability")).not.toContain("tdiu");
  });

  it("keeps the question unchanged if the profile says so", async () => {
    const { terms, repairs, codes } = await understand("How long is my pensoin DC 6260", parts(), PLAIN_QUERY);
    expect(terms.map(({ token }) => token)).toEqual(tokenize("How long is my pensoin DC 6260"));
    expect([repairs, codes]).toEqual([[], []]);
  });

  it.each([
    ["nothing", ""],
    ["only stop words", "is it the of and"],
    ["one word 500 times", "pensoin ".repeat(500)],
    ["a lone surrogate", "\ud83d pension"],
  ])("survives %s", async (_, question) => {
    const { terms, repairs } = await read(question);
    expect(terms.every(({ weight }) => Number.isFinite(weight))).toBe(true);
    expect(repairs.length).toBeLessThanOrEqual(1);
  });
});

const thesaurus = createThesaurus(
  {
    abbreviations: { TDIU: ["individual unemployability"], "C&P": ["claim exam"], HLR: ["higher-level review"] },
    synonyms: [
      ["widow", "surviving spouse"],
      ["kicked out", "discharge"],
    ],
  },
  (text) => tokenize(text),
  createStemmer(),
);
const others = (text: string) => thesaurus.equivalents(text).map(({ to }) => to);

describe("createThesaurus", () => {
  it("matches an abbreviation in both directions, in any case, with signs inside", () => {
    expect(others("can I get tdiu")).toEqual(["individual unemployability"]);
    expect(others("individual unemployability rules")).toEqual(["TDIU"]);
    expect(others("my C&P exam")).toEqual(["claim exam"]);
    expect(others("higher level reviews")).toEqual(["HLR"]);
  });

  it("matches phrases in any inflection and with stop words, but not parts of words", () => {
    expect(others("I was kicked out")).toEqual(["discharge"]);
    expect(others("two widows")).toEqual(["surviving spouse"]);
    expect(others("widowmaker")).toEqual([]);
  });
});

const real = english.real();
const stem = createStemmer();
const isSure = (written: string, read: string, question = `what of ${written}`, held = [read]) =>
  isSureRepair(question, { written, read }, { real, isKnown: english.isEnglish, similar: held, stem });

describe("isSureRepair", () => {
  it.each([
    ["recieve", "receive"],
    ["hosptial", "hospital"],
    ["disabilty", "disability"],
    ["buisness", "businesses"],
    ["libary", "library"],
  ])("is true for %s as %s", (written, read) => {
    expect(isSure(written, read)).toBe(true);
  });

  it.each([
    ["it may be another word of the language", "hering", "hearing"],
    ["its correction is a name", "zylopirm", "zyloprim"],
    ["its correction is a term", "antinatal", "antenatal"],
  ])("is false for %s", (_why, written, read) => {
    expect(isSure(written, read)).toBe(false);
  });

  it("is false if the documents contain another word that may be meant", () => {
    expect(isSure("hosptial", "hospital", "the hosptial", ["hospital", "hospitals"])).toBe(true);
    expect(isSure("hosptial", "hospital", "the hosptial", ["hospital", "hospital", "hosptialx"])).toBe(false);
  });

  it.each(["When did Hosptial open?", "Does Mr. Hosptial pay?", "Hosptial pays what?", "HOSPTIAL"])(
    "is false for a possible name: %s",
    (question) => {
      expect(isSure("hosptial", "hospital", question)).toBe(false);
      expect(isSure("hosptial", "hospital", question.toLowerCase())).toBe(true);
    },
  );

  it("is false for words with similar spelling and different meanings, except indistinguishable ones", () => {
    const pairs = [...nearSpelled, ...nearSpelledAsked].map(({ one, other }) => [one.toLowerCase(), other.toLowerCase()] as const);
    expect(pairs.length).toBeGreaterThanOrEqual(600);
    const both = pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);
    const read = both.filter(
      ([written, meant]) => !real.has(written) && isSlip(written, meant) && !differInAffix(written, meant, real, stem),
    );
    const sure = read.filter(([written, meant]) => isSure(written, meant)).map(([written, meant]) => `${written} as ${meant}`);
    expect(sure.filter((one) => !UNKNOWABLE.includes(one))).toEqual([]);
  });
});

/**
 * Pairs that cannot be distinguished from misspellings: no word list contains the first word, or it is only a trade name or
 * jargon. Every answer, stored or new, shows the correction.
 */
const UNKNOWABLE = [
  ...["methanal as methanol", "galium as gallium", "saphira as sapphire", "raviolo as ravioli", "altro as alto", "drawwall as drywall"],
  ...["stronsium as strontium", "grousse as grouse", "subpena as subpoena", "zooning as zoning", "cilantra as cilantro"],
  ...["chevril as chervil", "tumeric as turmeric", "paprica as paprika", "complier as compiler", "premable as preamble"],
];
