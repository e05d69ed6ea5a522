import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passesLuhn, redactPersonalData } from "./pii.ts";

describe("redactPersonalData", () => {
  it.each([
    ["mail joe.doe+va@mail.example.org now", "mail [email] now"],
    ["my SSN is 123-45-6789.", "my SSN is [ssn]."],
    ["my SSN is 123 45 6789", "my SSN is [ssn]"],
    ["card 4111 1111 1111 1111 please", "card [card] please"],
    ["card 4111-1111-1111-1111", "card [card]"],
    ["call (202) 555-0143", "call [phone]"],
    ["call 202.555.0143 or +1 202 555 0143", "call [phone] or [phone]"],
  ])("%s → %s", (text, redacted) => {
    expect(redactPersonalData(text)).toBe(redacted);
  });

  it.each([
    "What is VA Form 21-526EZ?",
    "38 CFR 4.25 and DC 6260",
    "between 2019-04-30 and 2020-01-01",
    "$1,200.50 for 10 percent",
    "000-12-3456 is no number that is given out",
    "4111 1111 1111 1112",
    "ISBN 978 3 16 148410 1",
    "@home and a@b",
  ])("leaves %s", (text) => {
    expect(redactPersonalData(text)).toBe(text);
  });

  it("redacts once: what is redacted stays as it is", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const redacted = redactPersonalData(text);
        expect(redactPersonalData(redacted)).toBe(redacted);
      }),
    );
  });

  it("answers at once, whatever the text", () => {
    const started = performance.now();
    for (const part of ["a.", "1 ", "1-", "a@a.", "(111) "]) redactPersonalData(part.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("passesLuhn", () => {
  it("knows valid numbers from those with one wrong digit or two swapped", () => {
    expect(passesLuhn("4111 1111 1111 1111")).toBe(true);
    expect(passesLuhn("4111 1111 1111 1112")).toBe(false);
    expect(passesLuhn("79927398713")).toBe(false);
    expect(passesLuhn("5500-0000-0000-0004")).toBe(true);
    expect(passesLuhn("5500-0000-0000-0040")).toBe(false);
  });
});
