import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admitQuestion } from "../answer/admit.ts";
import type { AskRequest } from "../types.ts";

const request = (question: string): AskRequest => ({
  question,
  scope: { domain: "d", tenant: null, access: ["public"] },
  profile: "p",
  detail: "normal",
  sessionId: null,
  selection: null,
});
const admit = (question: string, maxCharacters = 500) => admitQuestion(request(question), [], { maxCharacters });
const codeOf = (question: string) => {
  try {
    admit(question);
    return null;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("admitQuestion", () => {
  it("trims, and turns line breaks and tabs into blanks", () => {
    expect(admit("\n What\tdoes it\r\ncost? ").text).toBe("What does it cost?");
  });

  it("takes exactly the limit, counted after trimming", () => {
    expect(admit(`  ${"a".repeat(500)}\n`).text).toHaveLength(500);
    expect(() => admit("a".repeat(501))).toThrow("The question has 501 characters; at most 500 are allowed.");
    expect(() => admit("abcd", 3)).toThrow(expect.objectContaining({ code: "question_too_long", data: { characters: 4, limit: 3 } }));
  });

  it.each(["", " ", "\n\t\r\n", "\u00A0\u3000"])("rejects %j as empty", (question) => {
    expect(codeOf(question)).toBe("question_empty");
  });

  it.each([0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x2028, 0x202e, 0x2060, 0x2066, 0xfeff])("rejects the character %i", (code) => {
    expect(codeOf(`a${String.fromCodePoint(code)}b`)).toBe("question_control_characters");
  });

  it("rejects half of a surrogate pair", () => {
    expect(codeOf("a\uD83Db")).toBe("question_control_characters");
  });

  it.each(["Was kostet das?", "👩‍👩‍👧‍👦?", "כמה זה עולה?", "费用是多少?", "naïve café?", "ZWNJ: می‌خواهم"])(
    "takes %s as it is",
    (question) => {
      expect(admit(question)).toMatchObject({ text: question, resolved: question, injectionSignals: [] });
    },
  );

  it("lets history travel along, and resolves what leans on it; what is shown stays as asked", () => {
    const history = [{ question: "What is the pension?", answer: "Money." }];
    const asked = (text: string) => admitQuestion(request(text), history, { maxCharacters: 500 });
    expect(asked("And then?")).toMatchObject({ history, text: "And then?", resolved: "And then? (pension)" });
    expect(asked("Who pays the dental care?")).toMatchObject({ history, resolved: "Who pays the dental care?" });
  });

  it("reads a question about a selection by itself: it leans on what was selected, not on earlier turns", () => {
    const history = [{ question: "How is a pension applied for?", answer: "By letter." }];
    const selection = { documentId: "waiting", start: 0, end: 31 };
    const asked = (chosen: AskRequest["selection"]) =>
      admitQuestion({ ...request("And how long is that?"), selection: chosen }, history, { maxCharacters: 500 }).resolved;
    expect(asked(selection)).toBe("And how long is that?");
    expect(asked(null)).not.toBe("And how long is that?");
  });

  it("either admits a text without control characters or throws one of its errors", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        try {
          const { text: admitted } = admit(text);
          expect(admitted.length).toBeGreaterThan(0);
          expect(admitted.length).toBeLessThanOrEqual(500);
          expect(admitted).not.toMatch(/\p{Cc}/u);
        } catch (error) {
          expect(String((error as { code?: string }).code)).toMatch(/^question_/);
        }
      }),
    );
  });
});
