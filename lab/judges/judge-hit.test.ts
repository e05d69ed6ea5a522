import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../src/grading/metrics.ts";
import type { Answer, Citation } from "../../src/shared/types.ts";
import { sampleAnswer } from "../../src/testing/answers.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { folderOfTest } from "../../test/support/folders.ts";
import { changeFact } from "../made/day-edits.ts";
import { createMeanings } from "../made/day-meanings.ts";
import type { DayStep } from "../made/replayed-day.ts";
import { compareSources, readFilesToday, saysTheSame, staleBecause } from "./judge-hit.ts";

const TEXT = "A card costs 5 dollars.\n";
const QUOTE = "costs 5 dollars";

const here = folderOfTest();
beforeEach(() => {
  writeFileSync(join(here.folder, "a.txt"), TEXT);
});

const citation = (change: Partial<Citation> = {}) =>
  ({
    ...{ n: 1, documentId: "a", chunkId: "a-0", quote: QUOTE, start: 7, end: 22 },
    original: { path: "a.txt", unit: "utf16", start: 7, end: 22, sha256: sha256Hex(TEXT), normaliser: "1" },
    ...change,
  }) as Citation;
const answer = (citations: Citation[], text = "A card costs 5 dollars.", status: Answer["status"] = "ok") =>
  sampleAnswer({ question: "What does a card cost?", status, citations, sentences: [{ text, citations: [1] }] });

describe("staleBecause", () => {
  it("lets a quote stand that stands, and nothing else", () => {
    const files = readFilesToday(here.folder);
    expect(staleBecause(answer([citation()]), files)).toBeNull();
    expect(staleBecause(answer([citation({ start: 6 })]), files)).toBe("a quote does not stand in a.txt");
    expect(staleBecause(answer([]), files)).toBe("it cites nothing");
    writeFileSync(join(here.folder, "a.txt"), `${TEXT}And more.\n`);
    expect(staleBecause(answer([citation()]), files)).toBe("a.txt has another version");
    rmSync(join(here.folder, "a.txt"));
    expect(staleBecause(answer([citation()]), files)).toBe("a.txt is gone");
  });
});

describe("saysTheSame and compareSources", () => {
  const one = answer([citation()]);
  it("compares sentences and what each cites", () => {
    expect(saysTheSame(one, answer([citation({ chunkId: "a-1" })]))).toBe(true);
    expect(saysTheSame(one, answer([citation()], "A card costs 6 dollars."))).toBe(false);
    expect(saysTheSame(one, answer([citation({ quote: "5 dollars" })]))).toBe(false);
  });

  it("calls sources other when neither a quote nor a passage is common", () => {
    expect(compareSources(one, answer([citation({ quote: "A card" })]))).toBe("common");
    expect(compareSources(one, answer([citation({ chunkId: "a-1" })]))).toBe("common");
    expect(compareSources(one, answer([citation({ chunkId: "b-0", documentId: "b" })]))).toBe("other");
    expect(compareSources(one, answer([], "", "insufficient_context"))).toBe("refused");
  });
});

describe("changeFact", () => {
  const edit = (source: string, quote: string) => {
    const start = source.indexOf(quote);
    return changeFact(source, { start, end: start + quote.length }, createRandom(1));
  };
  it("changes a value, else denies, else adds a word, and nothing outside of the quote", () => {
    expect(edit("It is so. A card costs 5 dollars. Bye.", "A card costs 5 dollars.")).toMatch(
      /^It is so\. A card costs (?!5 )\d+ dollars\. Bye\.$/,
    );
    expect(edit("Cards 1. A card is free. Bye.", "A card is free.")).toBe("Cards 1. A card is not free. Bye.");
    expect(edit("Free cards. Bye.", "Free cards")).toBe("Free cards (until further notice). Bye.");
  });
});

describe("createMeanings", () => {
  const ask = (question: string, kind: "new" | "repeat" | "paraphrase" | "look-alike", of: string | null, source = "wording"): DayStep => ({
    ...{ type: "ask", at: 0, question, class: kind, of, source },
  });
  const relation = createMeanings([
    ask("May I keep 3 books?", "new", null),
    ask("hello, may I keep 3 books", "paraphrase", "May I keep 3 books?"),
    ask("May I keep 4 books?", "look-alike", "May I keep 3 books?", "number"),
    ask("May I keep 5 books?", "look-alike", "May I keep 3 books?", "number"),
    ask("May I keep maps?", "look-alike", "May I keep 3 books?", "pair"),
    ask("Where is the zoo?", "new", null),
  ]);
  it.each([
    ["May I keep 3 books", "MAY I KEEP 3 BOOKS?", "same"],
    ["hello, may I keep 3 books", "May I keep 3 books?", "same"],
    ["May I keep 4 books?", "May I keep 3 books?", "must_not_share"],
    ["hello, may I keep 3 books", "May I keep 4 books?", "must_not_share"],
    ["May I keep 4 books?", "hello, may I keep 3 books", "must_not_share"],
    ["May I keep 4 books?", "May I keep 5 books?", "must_not_share"],
    ["May I keep 4 books?", "May I keep maps?", "unlabelled"],
    ["Where is the zoo?", "May I keep 3 books?", "unlabelled"],
    ["Where is the zoo?", "Who are you?", "unlabelled"],
  ])("%s / %s: %s", (asked, stored, expected) => expect(relation(asked, stored)).toBe(expected));
});
