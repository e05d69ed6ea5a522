import { describe, expect, it } from "vitest";
import { nearSpelled } from "../../test/support/near-spelled.ts";
import { nearSpelledAsked } from "../../test/support/near-spelled-asked.ts";
import { createEnglishWords } from "../reading/content-words.ts";
import { differInAffix, isSlip } from "../text/spelling.ts";
import { createStemmer } from "../text/tokens.ts";
import { isSureRepair } from "./understand.ts";

const english = createEnglishWords();
const real = english.real();
const stem = createStemmer();
const isSure = (written: string, read: string, question = `what of ${written}`, held = [read]) =>
  isSureRepair(question, { written, read }, { real, isKnown: english.isEnglish, meant: () => held, stem });

describe("isSureRepair", () => {
  it.each([
    ["recieve", "receive"],
    ["hosptial", "hospital"],
    ["disabilty", "disability"],
    ["buisness", "businesses"],
    ["libary", "library"],
  ])("is sure that %s is %s", (written, read) => {
    expect(isSure(written, read)).toBe(true);
  });

  it.each([
    ["the language has another word that it may be", "hering", "hearing"],
    ["what it was read as is a name", "zylopirm", "zyloprim"],
    ["what it was read as is a term", "antinatal", "antenatal"],
  ])("is not where %s", (_why, written, read) => {
    expect(isSure(written, read)).toBe(false);
  });

  it("is not where documents hold another word that it may be", () => {
    expect(isSure("hosptial", "hospital", "the hosptial", ["hospital", "hospitals"])).toBe(true);
    expect(isSure("hosptial", "hospital", "the hosptial", ["hospital", "hospital", "hosptialx"])).toBe(false);
  });

  it.each(["When did Hosptial open?", "Does Mr. Hosptial pay?", "Hosptial pays what?", "HOSPTIAL"])(
    "is not of what may be a name: %s",
    (question) => {
      expect(isSure("hosptial", "hospital", question)).toBe(false);
      expect(isSure("hosptial", "hospital", question.toLowerCase())).toBe(true);
    },
  );

  it("is not of words spelled nearly alike that are two things, but for those that nothing tells from a slip", () => {
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

/** No list of words has them; what they were read as is said beside a stored answer as beside a new one. Those after the break are no words but in trade names or jargon, or are slips. */
const UNKNOWABLE = [
  ...["methanal as methanol", "galium as gallium", "saphira as sapphire", "raviolo as ravioli", "altro as alto", "drawwall as drywall"],
  ...["stronsium as strontium", "grousse as grouse", "subpena as subpoena", "zooning as zoning", "cilantra as cilantro"],
  ...["chevril as chervil", "tumeric as turmeric", "paprica as paprika", "complier as compiler", "premable as preamble"],
];
