import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation, sampleNearMiss, sampleRefusal, sampleSide } from "../testing/answers.ts";
import { renderAnswer } from "./render.ts";
import { createTerminal, harmless, harmlessLine } from "./terminal.ts";

const plain = pc.createColors(false);
const passage = {
  title: "Library cards",
  url: "https://a.org/cards/",
  asOf: "2026-02-01",
  headingPath: ["Cards"],
  path: "cards.md",
  context: "A card costs 5 dollars. A lost card costs 3 dollars.",
};
const base = sampleAnswer({
  question: "How much is a card?",
  sentences: [
    { text: "A card costs 5 dollars.", citations: [1] },
    { text: "A lost card costs 3 dollars.", citations: [1, 2] },
  ],
  citations: [sampleCitation(1, passage, "A card costs 5 dollars."), sampleCitation(2, passage, "A lost card costs 3 dollars.")],
});
const refused = {
  ...base,
  sentences: [],
  citations: [],
  refusal: {
    reason: "nothing_relevant" as const,
    message: "Nothing found.",
    note: "That settles nothing.",
    searched: {
      documents: 4,
      chunks: 9,
      revision: 7,
      asOf: { from: "2024-03-01", to: "2026-01-15", undated: 1 },
      unreadable: ["a\nb.md"],
      unreadableCount: 3,
    },
    nearest: [sampleNearMiss("Cards", { heading: "Lost\ncards", url: "https://a.org/", missing: ["penguin"], missingValues: ["a date"] })],
    contacts: [{ name: "Desk", contact: "555" }],
  },
};

describe("conflicts in an answer", () => {
  const side = (sid: string, value: string, asOf: string | null) => {
    const quote = `A card costs ${value}.`;
    return sampleSide(`Doc ${sid}`, value, { sid, quote, start: 3, end: 3 + quote.length, asOf });
  };
  const conflict = {
    about: "card costs",
    kind: "value" as const,
    certainty: 0.7,
    sides: [side("S1", "$5", "2026-01-01"), side("S2", "$8\u001b[2J", null)] as const,
  };

  it("show both sides with value, date, sentence and place, escaped, and say that no rule decides", () => {
    const text = renderAnswer({ ...base, conflicts: [{ ...conflict, resolvedBy: null }] }, plain);
    for (const part of [
      "Sources disagree: $5 or $8",
      "$5 – Doc S1, as of 2026-01-01",
      "Doc S2, no date stated",
      '"A card costs $5."',
      "characters 3–19",
    ])
      expect(text).toContain(part);
    expect(text).toContain("No rule decides which source takes precedence");
    expect(text).not.toContain("\u001b");
  });

  it("show no duplicate warning, and no partial sentence as a value", () => {
    const warnings = [{ code: "conflict", message: "Sources disagree: 5 against 8." }];
    const denied = { ...conflict, about: "costs year", kind: "polarity" as const, resolvedBy: null };
    const text = renderAnswer({ ...base, warnings, conflicts: [denied] }, plain);
    expect(text.match(/Sources disagree/g)).toHaveLength(1);
    expect(text).toMatch(/Sources disagree\n {2}Doc S1, as of 2026-01-01\n/);
  });
});

describe("renderAnswer", () => {
  it("reads a table row by its header and names further reading", () => {
    const table = { ...passage, context: "Card | Fee\nlost | 3" };
    const cells = [
      { name: "Card", text: "lost" },
      { name: "Fee", text: "3\u001b[2J" },
    ];
    const row = { ...sampleCitation(1, table, "lost | 3"), row: { cells, header: { start: 0, end: 10, text: "Card | Fee" } } };
    const seeAlso = { documentId: "x", documentVersion: "1", title: "Waivers", heading: "Who pays\nnothing", url: "https://a.org/w/" };
    const text = renderAnswer({ ...base, sentences: [{ text: "lost | 3", citations: [1] }], citations: [row], seeAlso }, plain);
    expect(text).toMatch(/Card: lost; Fee: 3.* \[1\]/);
    expect(text).not.toContain("\u001b[2J");
    expect(text).toContain("See also Waivers – Who pays\\nnothing\n    https://a.org/w/");
    expect(renderAnswer(base, plain)).not.toContain("See also");
  });

  it("shows for a refusal what was searched and skipped, the nearest passages and the contacts", () => {
    const text = renderAnswer(refused, plain);
    expect(text).toContain(
      "Nothing found.\nThat settles nothing.\n\nSearched 4 documents (9 passages, revision 7, as of 2024-03-01 to 2026-01-15, 1 without a date).",
    );
    expect(text).toContain("Files that could not be read and were not searched (3): a\\nb.md and 2 more.");
    expect(text).toContain(
      "- Cards – Lost\\ncards\n  words of the question that it lacks: penguin\n  kinds of values asked for that it lacks: a date\n  Cards.md, characters 0–100\n  https://a.org/",
    );
    expect(text).toContain("- Desk: 555");
    // A refusal shows no model or writer.
    expect(text.split("\n").at(-1)).toMatch(/^\d+ ms$/);
  });

  it("states whether confidence is calibrated, and none without a confidence", () => {
    expect(renderAnswer({ ...base, confidence: 0.4, confidenceCalibrated: false }, plain)).toContain(
      "the sources match the question loosely (confidence not calibrated",
    );
    expect(renderAnswer({ ...base, confidence: 0.5, confidenceCalibrated: true }, plain)).toContain(
      "about 50 of 100 such answers are correct",
    );
    expect(renderAnswer({ ...base, confidence: null }, plain)).not.toMatch(/confidence|match the question|of 100/);
    for (const confidenceCalibrated of [false, true]) {
      const unsure = { ...refused, confidence: 0.5, confidenceCalibrated };
      expect(renderAnswer(unsure, plain)).not.toMatch(/match the question|of 100/);
    }
  });

  it("escapes text of documents and files", () => {
    const evil = "\u001B[2J\u009B31m\u0007\r\u202Ex";
    const citations = base.citations.map((citation) => ({
      ...citation,
      title: evil,
      url: evil,
      original: { ...citation.original, path: `${evil}\n` },
    }));
    const sentences = base.sentences.map((sentence) => ({ ...sentence, text: evil }));
    const refusal = sampleRefusal({ message: evil, nearest: [sampleNearMiss(evil)] });
    const refused = renderAnswer({ ...base, sentences: [], citations: [], refusal }, plain);
    for (const text of [renderAnswer({ ...base, sentences, citations, warnings: [{ code: "c", message: evil }] }, plain), refused]) {
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
      expect(text).toContain("\\x1b[2J");
    }
  });
});

describe("harmless", () => {
  it("keeps text, line breaks and emoji, and escapes control characters", () => {
    expect(harmless("a\n📚 é\tb\u001Bc\u202Ed")).toBe("a\n📚 é b\\x1bc\\u202ed");
    expect(harmlessLine("a\nb")).toBe("a\\nb");
  });
});

describe("createTerminal", () => {
  const record = (isTTY: boolean, env: Record<string, string> = {}) => {
    const out: string[] = [];
    const err: string[] = [];
    const stream = (into: string[]) => ({ write: (text: string) => into.push(text), isTTY });
    return { out, err, terminal: createTerminal({ stdout: stream(out), stderr: stream(err), env }) };
  };

  it("uses colours only on a terminal, and not with NO_COLOR or a dumb terminal", () => {
    expect(record(true).terminal.colors.red("x")).not.toBe("x");
    for (const { terminal } of [record(false), record(true, { NO_COLOR: "" }), record(true, { TERM: "dumb" })])
      expect(terminal.colors.red("x")).toBe("x");
  });

  it("replaces a progress line on a terminal, and ends it before other output", () => {
    const { out, err, terminal } = record(true);
    terminal.progress("1/2 a\nb");
    terminal.print("done");
    expect(err).toEqual(["\r\u001B[2K1/2 a\\nb", "\n"]);
    expect(out).toEqual(["done\n"]);
  });
});
