import { beforeAll, describe, expect, it } from "vitest";
import { readGoldenSet } from "../../src/grading/golden-set.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { FAITHFUL_RULES } from "./faithful-rules.ts";
import { FAULT_RULES } from "./fault-rules.ts";
import { makeDrafts } from "./golden-drafts.ts";

describe("faithful rules", () => {
  it.each([
    ["without brackets", "The fee (in cash) is due in May.", "The fee is due in May."],
    ["first statement", "Readers may keep it for a week; after that a fine is due.", "Readers may keep it for a week."],
    ["without connective", "However, the fee is due in May.", "The fee is due in May."],
    ["contraction", "You do not pay for it.", "You don't pay for it."],
    ["contraction", "You don’t pay for it.", "You do not pay for it."],
    ["number in words", "You have six weeks to appeal.", "You have 6 weeks to appeal."],
    ["number in words", "You have 6 weeks to appeal.", "You have six weeks to appeal."],
    ["percent", "It pays 12% of rent.", "It pays 12 percent of rent."],
    ["condition last", "If you are late, you pay a fine.", "You pay a fine if you are late."],
    ["percent", "It pays rent.", null],
    ["condition last", "If you are late, or ill, you pay.", null],
    ["number in words", "See part 3 of the list.", null],
  ])("%s: %s", (rule, sentence, made) => expect(FAITHFUL_RULES[rule]?.(sentence)).toBe(made));
});

describe("fault rules", () => {
  const context = (page: string, otherNames: string[] = []) => ({ page, otherNames, random: createRandom(1) });
  const make = (kind: string, rule: string, sentence: string, page = sentence, names: string[] = []) =>
    FAULT_RULES[kind]?.[rule]?.(sentence, context(page, names)) ?? null;

  it.each([
    ["negation", "added", "The fee is due in May.", "The fee is not due in May."],
    ["negation", "added", "The fee is never due in May.", null],
    ["negation", "removed", "You cannot appeal it later.", "You can appeal it later."],
    ["negation", "removed", "You must not appeal it later.", "You must appeal it later."],
    ["condition", "dropped", "If you are over sixty, you need not pay the fee.", "You need not pay the fee."],
    ["condition", "dropped", "You need not pay the fee unless you are late.", "You need not pay the fee."],
    ["condition", "turned", "If you are late, you pay.", "Unless you are late, you pay."],
    ["modality", "turned", "You may keep the book.", "You must keep the book."],
    ["modality", "turned", "In May the book is new.", null],
    ["modality", "turned", "You can’t keep the book.", null],
    ["quantifier", "turned", "You need at least two copies.", "You need at most two copies."],
    ["quantifier", "only dropped", "It is only for residents.", "It is for residents."],
  ])("%s, %s: %s", (kind, rule, sentence, made) => expect(make(kind, rule, sentence)).toBe(made));
});

describe("makeDrafts", () => {
  const root = folderOfFile();
  beforeAll(() => {
    writeIn(
      root,
      "pages/loans.md",
      "# Loans\n\nA reader may keep a borrowed book for 21 days. Readers pay nothing.\n\n- a list item of five words\n",
    );
    writeIn(root, "pages/rooms.md", "# Rooms\n\nThe garden room seats forty people.\n");
    const row = {
      id: "a",
      question: "How long?",
      gold_pages: ["pages/loans.md"],
      gold_quotes: ["keep a borrowed book for 21 days.", "list item of five words"],
    };
    writeIn(root, "answerable.jsonl", [row]);
  });

  it("makes true and wrong sentences of the gold sentence alone, the same for the same seed", () => {
    const set = readGoldenSet({ name: "x", corpus: root, golden: root });
    const make = () => makeDrafts(set, ["pages/loans.md", "pages/rooms.md"], createRandom(3));
    const drafts = make();
    expect(make()).toEqual(drafts);
    expect(new Set(drafts.map(({ original }) => original))).toEqual(new Set(["A reader may keep a borrowed book for 21 days."]));
    expect(drafts.map(({ fault, rule }) => `${fault} ${rule}`)).toEqual([
      "none verbatim",
      "number other",
      "modality turned",
      "citation moved",
    ]);
    expect(drafts.at(-1)).toMatchObject({ pages: ["pages/rooms.md"], sources: ["pages/loans.md"] });
  });
});
