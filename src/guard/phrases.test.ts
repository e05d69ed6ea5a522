import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadDomain } from "../engine/domain.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { createHotlineFinder, isFindable, phraseFinder, readPlain } from "./hotlines.ts";

const callsFor = (text: string, phrases: readonly string[]) => phraseFinder(phrases)(readPlain(text));

describe("phraseFinder", () => {
  const phrases = ["kill myself", "can't go on", "kms", "suicide"];

  it.each([
    "I want to KILL  MYSELF",
    "kill my self",
    "k i l l  m y s e l f",
    "hawk kill myself fast",
    "kiiiill myselffff",
    "kıll".replace("ı", "i").concat("\u200B my\u200Dself"),
    "kíll mysélf",
    "I can’t go on",
    "CAN`T GO ON",
    "thinking of kms.",
    "s.u.i.c.i.d.e",
    `${"x ".repeat(5_000)}suicide`,
  ])("finds the meaning of %j", (text) => expect(callsFor(text, phrases)).toBe(true));

  it.each(["skill myself", "kill myselfish", "a km stone", "5 k, m, s", "kmsx", "Kms2", "suicid", "", "…", "\u200B"])(
    "does not find it in %j",
    (text) => expect(callsFor(text, phrases)).toBe(false),
  );

  it("rejects a phrase without letters, and finds nothing by it", () => {
    for (const phrase of ["", "!!!", "’", "\u0301"]) {
      expect(isFindable(phrase)).toBe(false);
      expect(callsFor("anything !!! ’ at all", [phrase])).toBe(false);
    }
    expect(isFindable("988")).toBe(true);
    // A run of letters counts as one letter, a run of digits does not.
    expect(callsFor("call 988", ["98"])).toBe(false);
    // A batch may send one word of megabytes.
    expect(callsFor("x".repeat(4_000_000), ["kms"])).toBe(false);
  });

  it("finds a phrase in any context, with any spacing and capitalisation", () => {
    const around = fc.string({ unit: "binary", maxLength: 40 });
    const gap = fc.constantFrom(" ", "  ", "\t", "\n", "-", "…", " \u200B", "\u00A0", ", ");
    fc.assert(
      fc.property(around, around, gap, fc.boolean(), (before, after, between, loud) => {
        const text = `${before} kill${between}myself ${after}`;
        expect(callsFor(loud ? text.toUpperCase() : text, ["kill myself"])).toBe(true);
      }),
    );
  });

  it.each([
    ["combining marks", "\u0316\u0301"],
    ["one letter", "a"],
    ["repeated beginnings of the phrase", "suicidsuicid "],
    ["ligatures", "\uFDFA"],
    ["lone surrogates", "\uD800"],
    ["control characters", "\u0000\u202E"],
  ])("reads a long text of %s in linear time, with the words after it", async (_, piece) => {
    await expectLinearTime(
      50_000 / piece.length,
      (n) => piece.repeat(n),
      (text) => callsFor(text, phrases),
    );
    const text = piece.repeat(50_000 / piece.length);
    expect(callsFor(`${text} suicide`, phrases)).toBe(true);
    expect(callsFor(text, phrases)).toBe(false);
  });
});

describe("the veterans' hotlines", () => {
  const { hotlines } = loadDomain("veterans");
  const find = createHotlineFinder(hotlines, async () => "no");
  const called = async (text: string) => {
    const shown = (await find(text)).map(({ message }) => message);
    return hotlines.filter(({ text: one }) => shown.includes(one)).map(({ name }) => name);
  };

  it.each([
    "I feel sucidal",
    "thinking about suiside",
    "i want to kill my self",
    "I just want to dieee",
    "kms",
    "gonna unalive myself",
    "I can’t go on.",
    "I don't want to be here anymore",
    "everyone would be better off without me",
    "I have a gun to my head",
    // The hotline also helps people who ask about another person's death.
    "survivor benefits if veteran died by suicide",
    "suicide prevention coordinator phone number",
  ])("%j triggers the crisis line", async (text) => expect(await called(text)).toContain("Veterans Crisis Line"));

  it.each(["i cant breathe", "having chest pains", "my buddy overdosed", "he took too many pills", "I think I'm having a heart attack"])(
    "%j is a medical emergency",
    async (text) => expect(await called(text)).toContain("Emergency"),
  );

  it.each([
    "What rating does ischemic heart disease get?",
    "How do I end my lifetime loan guaranty?",
    "Can a surviving spouse of a veteran who was killed in action get DIC?",
    "Does VA pay if I die of a service-connected condition?",
    "I want to diet: does VA pay for a dietitian?",
  ])("%j triggers none", async (text) => expect(await called(text)).toEqual([]));
});
