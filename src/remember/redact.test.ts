import { describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { losesWords, redactAnswered } from "./named-documents.ts";

const SHOWN = "Write to joe.doe@example.org or call 202-555-0143.";
const PAGE = { title: "Contacts", url: null, asOf: null, headingPath: [], path: "contacts.md" };
const answer = (quote: string) =>
  sampleAnswer({
    question: "How?",
    sentences: [{ text: SHOWN, citations: [1] }],
    citations: [sampleCitation(1, { ...PAGE, context: quote }, quote)],
  });

describe("redactAnswered and losesWords", () => {
  it("keep what a cited quote publishes, wherever it breaks its lines", () => {
    const published = answer("Write to\njoe.doe@example.org or call\n202-555-0143.");
    expect(redactAnswered(SHOWN, published)).toBe(SHOWN);
    expect(losesWords(published)).toBe(false);
    const address = "Mail it to PO Box 4444, Janesville, WI 53547-4444 today.";
    expect(redactAnswered(address, answer("PO Box 4444,\nJanesville, WI\n53547-4444"))).toBe(address);
  });

  it("find the answer that would not be stored as it was shown", () => {
    expect(redactAnswered(SHOWN, answer("Write to us."))).not.toContain("joe.doe");
    expect(losesWords(answer("Write to us."))).toBe(true);
  });
});
