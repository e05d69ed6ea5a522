import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { askedValues, heldValues, VALUE_KINDS } from "./question.ts";

const { money, percent, duration, date, number, form, phone, address, name } = VALUE_KINDS;

describe("askedValues", () => {
  it.each([
    ["How much does a headstone cost?", [money | percent | number]],
    ["how long do I have to appeal", [duration]],
    ["What's the deadline for a claim?", [duration | date]],
    ["when is the payment made?", [date | duration]],
    ["Which VA form do I need?", [form]],
    ["how many dependents count", [number]],
    ["what address do I mail it to", [address]],
    ["What number do I call?", [phone]],
    ["Can I cancel the boiler service over the phone?", []],
    ["My phone was stolen from the cab, are you told by the police?", []],
    ["To which address do I post the match sheets?", [address]],
    ["Is my rental contract enough to register my new address?", []],
    ["Who signs the letter?", [name]],
    ["what percent, and how long does it last", [duration, percent | number]],
    ["How old must I be?", [number | duration]],
    ["How much time do I have?", [duration]],
    ["When I moved, my file was lost. Can I get a copy?", []],
    ["كم تبلغ الرسوم؟", []],
  ])("%s", (question, kinds) => expect(askedValues(question)).toEqual(kinds));

  it.each(["cost ", "how ", "what rate ", "when ", "which a b c ", "what address e-mail "])("takes linear time for repeated %j", (piece) =>
    expectLinearTime(50_000, (n) => piece.repeat(n), askedValues),
  );
});

describe("heldValues", () => {
  it.each([
    ["It costs $1,200.", money],
    ["You pay 2.5% of it.", percent],
    ["Ask within one year.", duration],
    ["It takes several working weeks.", duration],
    ["It ends on March 3, 2019.", date],
    ["Fill out VA Form 21-526EZ.", form],
    ["Call 1-800-827-1000.", phone],
    ["The dentist is on 020 7946 0018.", phone],
    ["Ring +47 22 12 34 56.", phone],
    ["Write to P.O. Box 5365.", address],
    ["It is signed by Ann Lee.", name],
    ["Two letters are needed.", number],
  ])("%s", (text, kind) => expect(heldValues(text) & kind).toBe(kind));

  it("does not take figures of dates and durations for numbers", () => {
    expect(heldValues("Ask within 30 days of March 3, 2019.") & (number | duration | date)).toBe(duration | date);
    expect(heldValues("Bring 2 letters within 30 days.") & (number | duration)).toBe(number | duration);
  });

  it("is empty for a text without values", () => expect(heldValues("You may be able to get it.")).toBe(0));

  it("takes linear time for a huge text", () => expectLinearTime(500_000, (n) => "1 a ".repeat(n), heldValues));
});
