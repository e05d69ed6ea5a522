import { describe, expect, it } from "vitest";
import type { SlotContext } from "./align-terms.ts";
import cases from "./compare-slots.cases.json" with { type: "json" };
import { compareSlots } from "./compare-slots.ts";
import { createSlotVocabulary } from "./slot-vocabulary.ts";
import { readAbout, readSlots } from "./slots.ts";

const vocabulary = createSlotVocabulary({
  title: "Pension fund",
  hosts: ["fund.example", "rival.example"],
  abbreviations: { ERB: ["early retirement bonus"], LRB: ["late retirement bonus"] },
  synonyms: [["payslip", "wage statement"]],
  entities: [{ type: "form", canonical: "$1", patterns: ["\\b([A-Z]{2}-\\d{2})\\b"] }],
  questions: { bodies: [["army"], ["navy"]] },
});
const read = (question: string) => readSlots(question, vocabulary);
const compare = (asked: string, stored: string, context?: SlotContext) => compareSlots(read(asked), read(stored), context);
const ruleOf = (asked: string, stored: string, context?: SlotContext) => {
  const verdict = compare(asked, stored, context);
  return verdict.same ? "same" : verdict.rule;
};
const entailed = (asked: string, stored: string) => {
  const verdict = compare(asked, stored);
  return verdict.same ? verdict.rules : [verdict.rule];
};

describe("compareSlots: what the texts speak of", () => {
  const about = new Set(readAbout(["You may request that the board hears it. The court hears claims."], vocabulary));
  it("does not let a text explain words of both questions that stand for two things", () => {
    const [asked, stored] = [
      "How long do I have to request a board appeal?",
      "Is there a deadline to appeal to the court of appeals for claims?",
    ];
    expect(ruleOf(asked, stored, { about, found: about })).toBe("unknown");
  });

  it("does not take a name for a word that is only like it", () => {
    const texts = new Set(readAbout(["You may request the board's ruling. The ERB has a deadline."], vocabulary));
    const likeness = (one: string, other: string) => (one === "erb" && other === "appeal" ? 0.4 : 0);
    const verdict = ruleOf("How long do I have to request a board appeal?", "Is there a deadline to appeal for the ERB?", {
      ...{ about: texts, found: texts, likeness },
    });
    expect(verdict).toBe("unknown");
  });
});

describe("compareSlots: what a reading may outvote", () => {
  const soft = (asked: string, stored: string) => {
    const verdict = compare(asked, stored);
    return verdict.same ? null : [verdict.rule, verdict.soft];
  };
  it.each([
    ["asked", "What does the scheme pay out each month?", "How do I learn the monthly figure?"],
    ["condition", "Is it gone if I marry?", "Is the pension over?"],
    ["unknown", "Which garden shed may a tenant own?", "Is a hut on the plot fine?"],
  ])("is %s, where the wording is another and nothing exact differs: %s", (rule, asked, stored) => {
    expect(soft(asked, stored)).toEqual([rule, true]);
  });

  it.each([
    ["what's the height of a shed?", "height of a shed"],
    ["height of a shed", "what's the height of a shed?"],
  ])("is that one names what the other asks for, also in one wording: %s", (asked, stored) => {
    expect(soft(asked, stored)).toEqual(["asked", true]);
  });

  it.each([
    ["How is the bonus paid out?", "bonus paid out"],
    ["Who is the height of a shed?", "height of a shed"],
    ["Which insurers do you bill directly?", "How do you bill insurers directly?"],
  ])("is no kind that only one of them says, or another word, in one wording: %s", (asked, stored) => {
    expect(soft(asked, stored)?.[1]).toBe(false);
  });

  it.each([
    ["asked", "What does the scheme pay out each month in Norway?", "How do I learn the monthly figure?"],
    ["asked", "Where do seeds last for years?", "Which seeds last for years?"],
    ["condition", "Does the ERB end if I marry?", "Is the LRB gone after a wedding?"],
    ["values", "What does 60% get me?", "How is 70% paid out?"],
    ["contrast", "How tall may the shed be?", "How wide may the shed be?"],
  ])("is not %s beside anything exact, or in one wording: %s", (_rule, asked, stored) => {
    expect(soft(asked, stored)?.[1]).toBe(false);
  });
});

describe("compareSlots: what is no hit", () => {
  it.each(cases.differing)("%s: %s / %s", (rule, one, other) => {
    expect(ruleOf(one, other)).toBe(rule);
    expect(ruleOf(other, one)).not.toBe("same");
  });

  it("serves no narrow answer to a wide question", () => {
    expect(ruleOf("Do you pay out overseas?", "Do you pay out in Norway?")).toBe("places");
    expect(ruleOf("bonus for retiring after age 57", "bonus for retiring at age 58")).toBe("values");
  });
});

describe("compareSlots: conditions", () => {
  const everything = new Set(readAbout(["apply plan divorced retirement members wait long"], vocabulary));
  const known = { about: everything, found: everything };

  it("serves no answer across a condition that one question alone holds, whatever the answer speaks of", () => {
    expect(ruleOf("How do I apply for the plan after I am divorced?", "How does a member apply for the plan?", known)).toBe("condition");
    expect(ruleOf("How does a member apply for the plan?", "How do I apply for the plan once divorced?", known)).toBe("condition");
  });

  it("reads a condition in other words or at another place as the same", () => {
    expect(ruleOf("If I am divorced, how do I apply for the plan?", "How do I apply for the plan if I am divorced?", known)).toBe("same");
    expect(ruleOf("When is it paid?", "when is it paid please", known)).toBe("same");
  });
});

describe("compareSlots: what is one question in another order", () => {
  it.each([
    ["After retirement, how do I apply for the plan?", "How do I apply for the plan after retirement?"],
    ["How do you apply for the plan?", "How do I apply for the plan?"],
    ["Can my wife keep her plan?", "Can my wife keep the plan?"],
    ["Can I combine the ERB and the LRB?", "Can I combine the LRB and the ERB?"],
    ["Hi there. How do I apply for the plan?", "How do I apply for the plan?"],
  ])("%s / %s", (one, other) => {
    expect(ruleOf(one, other)).toBe("same");
    expect(ruleOf(other, one)).toBe("same");
  });
});

describe("compareSlots: listed entailments", () => {
  it.each([
    ["value-beyond", "bonus for retiring at 58", "bonus for retiring after age 57"],
    ["value-beyond", "bonus for joining in 2015", "bonus for joining after January 1, 2013"],
    ["place-abroad", "Do you pay out in Norway?", "Do you pay out overseas?"],
    ["spouse-remarrying", "does a widow lose it when she remarries", "do I lose it if I remarry"],
    ["synonym", "where is my payslip", "where is my wage statement"],
    ["parts", "bonus for late retirement", "LRB"],
    ["derived", "is notification of members free", "are members notified for free"],
  ] as const)("%s: %s / %s", (rule, asked, stored) => {
    expect(entailed(asked, stored)).toContain(rule);
  });

  it("reads a dependent who is also named as a parent as that one", () => {
    expect(ruleOf("Can I claim my mother as a dependent?", "Can I claim my mother?")).not.toBe("persons");
    expect(ruleOf("Can I claim a dependent?", "Can I claim my mother?")).toBe("persons");
  });

  it("asks for two things where each question says what the other does not", () => {
    expect(ruleOf("is the bonus inherited by grandchildren", "what tax is due on a bonus")).toBe("unknown");
  });

  it("takes no year that may lie before the day for one after it", () => {
    expect(ruleOf("bonus for joining in 2013", "bonus for joining after January 1, 2013")).toBe("values");
    expect(ruleOf("bonus for retiring at 56", "bonus for retiring after age 57")).toBe("values");
  });

  it("reads numbers in words and in other units as one", () => {
    expect(ruleOf("notice of twelve months", "notice of 1 year")).toBe("same");
    expect(ruleOf("notice of 12 months", "notice of 2 years")).toBe("values");
  });

  it("knows a name that the stored answer speaks of", () => {
    const about = new Set(readAbout(["Early retirement bonus (ERB): how it is paid"], vocabulary));
    expect(ruleOf("When do I get the money of the ERB at retirement?", "When does the fund send retirement money?")).toBe("names");
    expect(ruleOf("When do I get the money of the ERB at retirement?", "When does the fund send retirement money?", { about })).toBe(
      "same",
    );
  });
});

describe("compareSlots: properties", () => {
  const questions = ["What isn't paid before May 1, 2020?", "Can my son get the ERB at 70%?", "Do you pay out in Norway today?", ""];
  it("finds a question the same as itself, also after JSON", () => {
    for (const question of questions) {
      const slots = read(question);
      expect(compareSlots(slots, JSON.parse(JSON.stringify(slots))).same).toBe(true);
    }
  });
});
