import { describe, expect, it } from "vitest";
import { loadDomain } from "../engine/domain.ts";
import { checkPii } from "./guards.ts";

const quote = "Call 800-827-1000 or write to help@va.gov, PO Box 4444, Janesville, WI 53547-4444. Sample SSN: 123-45-6789.";
const check = (text: string, quotes: readonly string[] = [quote], contacts: readonly string[] = []) =>
  checkPii(text, quotes, contacts, "remove");

describe("checkPii", () => {
  it.each([
    "Call 800-827-1000.",
    "Call 800\u2011827\u20111000.",
    "Write to HELP@va.gov.",
    "Write to PO Box 4444, Janesville, WI 53547-4444.",
    "You have one year to appeal.",
  ])("lets a published contact pass: %s", (text) => {
    expect(check(text)).toMatchObject({ verdict: "pass", score: 1 });
  });

  it.each([
    ["another number", "Call 800-827-1001.", "phone"],
    ["a number that continues a published one", "Call 1-800-827-10007.", "phone"],
    ["another mailbox", "Write to help@va.gov.example.", "email"],
    ["a mailbox that ends like a published one", "Write to john.help@va.gov.", "email"],
    ["a mailbox that a published one ends with", "Write to elp@va.gov.", "email"],
    ["a street", "Go to 12 Oak Street.", "address"],
    ["a card", "Pay with 4111 1111 1111 1111.", "card"],
    ["an account", "Pay to DE89 3704 0044 0532 0130 00.", "iban"],
    ["a file number", "Use VA file number 12345678.", "file-number"],
  ])("fails %s", (_what, text, kind) => {
    const found = check(text);
    expect(found).toMatchObject({ verdict: "fail", score: 0 });
    expect(found.reason).toContain(kind);
    expect(checkPii(text, [quote], [], "warn").verdict).toBe("warn");
  });

  it("fails what identifies somebody even when a document publishes it", () => {
    const text = "Use 123-45-6789 as your number.";
    expect(check(text)).toMatchObject({ verdict: "fail" });
    expect(check(text).spans).toEqual([{ start: 4, end: 15 }]);
  });

  it("lets nothing pass without a quote or a contact that holds it", () => {
    expect(check("Call 800-827-1000.", []).verdict).toBe("fail");
    expect(check("Call 800-827-1000.", [], ["Benefits hotline 800-827-1000"]).verdict).toBe("pass");
  });

  it("lets the crisis line's answer and every contact of the demo's domain pass", () => {
    const { contacts, hotlines } = loadDomain("veterans");
    const texts = [...contacts.map(({ contact }) => contact), ...hotlines.map(({ text }) => text)];
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(check(text, [], texts).verdict).toBe("pass");
    for (const { text } of hotlines) expect(check(text, []).verdict).toBe("pass");
  });
});
