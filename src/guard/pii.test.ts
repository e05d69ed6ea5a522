import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { findPersonalData, redactPersonalData } from "./pii.ts";

describe("redactPersonalData", () => {
  it.each([
    ["mail joe.doe+va@mail.example.org now", "mail [email] now"],
    ["my SSN is 123-45-6789.", "my SSN is [ssn]."],
    ["card 4111 1111 1111 1111 please", "card [card] please"],
    ["call 202.555.0143 or +1 202 555 0143", "call [phone] or [phone]"],
    ["call +46 (0)8 928 571 38 or +447700900123.", "call [phone] or [phone]."],
    ["my cell is 07700 063 966", "my cell is [phone]"],
    ["mail joe (at) mail (dot) example.org", "mail [email]"],
    ["my Social Security number is 123456789", "my Social Security number is [ssn]"],
    ["SSN ١٢٣-٤٥-٦٧٨٩", "SSN [ssn]"],
    ["SSN 123\u200b-45\u2011-6789 and 123\u201145\u20116789", "SSN 123\u200b-45\u2011-6789 and [ssn]"],
    ["SSN 12\u200b3-45-6789", "SSN [ssn]"],
    ["my VA file number is 12 345 678", "my VA file number is [file-number]"],
    ["file C-12 345 678 or C12345678", "file [file-number] or [file-number]"],
    ["pay to GB82 WEST 1234 5698 7654 32 today", "pay to [iban] today"],
    ["Write to 810 Vermont Avenue NW.", "Write to [address] NW."],
    ["Write to 4150 Clement St, San Francisco, CA 94121", "Write to [address]"],
    ["PSC 3294, Box 9168 APO AA 61487", "[address]"],
  ])("%s → %s", (text, redacted) => {
    expect(redactPersonalData(text)).toBe(redacted);
  });

  it.each([
    "What is VA Form 21-526EZ?",
    "38 CFR 4.25 and DC 6260",
    "$1,200.50 for 10 percent",
    "4111 1111 1111 1112",
    "ISBN 978 3 16 148410 1",
    "GB82 WEST 1234 5698 7654 33",
    "Dial 988 and press 1, or text 838255. In immediate danger, call 911.",
    "You have 1 year from 04/30/2019 to file a claim, case number 12-345.",
    "The rate is $1,113.86, or 1113.86 with 2 children, from 1 December 2018 to 2019.",
  ])("keeps %s", (text) => {
    expect(redactPersonalData(text)).toBe(text);
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const redacted = redactPersonalData(text);
        expect(redactPersonalData(redacted)).toBe(redacted);
      }),
    );
  });

  it.each(["a.", "1 ", "1-", "a@a.", "(111) ", "A ", "1 A ", "call 1", "GB82", "ssn ", "1 Aa St ", "file no ", "live at 1 a "])(
    "takes linear time for repeated %j",
    (piece) => expectLinearTime(20_000 / piece.length, (n) => piece.repeat(n), redactPersonalData),
  );
});

describe("findPersonalData", () => {
  it("returns ordered ranges of the original text without overlaps", () => {
    const parts = fc.constantFrom(
      "123-45-6789",
      "a@b.org",
      "１２３",
      "\u200b",
      "x",
      " ",
      "GB82WEST12345698765432",
      "202-555-0143",
      "4111111111111111",
      "1 Oak St",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let last = 0;
        for (const { start, end, text: found } of findPersonalData(text)) {
          expect(found).toBe(text.slice(start, end));
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
      }),
    );
  });
});
