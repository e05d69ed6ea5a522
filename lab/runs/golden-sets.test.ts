import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { configSchema } from "../../src/shared/config.ts";
import { firstOf } from "../../test/support/events.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { evaluateDoc2dial } from "./doc2dial.ts";
import { evaluateGoldenPairs } from "./golden-pairs.ts";
import { evaluateMadeDrafts } from "./made-drafts.ts";
import { evaluateScans } from "./scans.ts";
import { evaluateSelected } from "./selected.ts";
import type { EvaluateEvent } from "./va.ts";

const LOANS = `# Loans 📚

## How long

A reader may keep a borrowed book for 21 days. After that a fine of 2 dollars a week is due.

## Cards

A library card is free for residents.
`;
const ROOMS = "# Rooms\n\nThe garden room seats forty people and costs 15 dollars an hour.\n";
const STAIRS = "# Stairs\n\nFrom the garden room twelve steps lead up to the street.\n";
const RULES = "# House rules\n\nA reader may keep a borrowed book for 14 days.\n";

const root = folderOfFile();
let set = { name: "library", corpus: "", golden: "", domain: undefined, files: [] as string[] };
beforeAll(() => {
  writeIn(root, "library/pages/loans.md", LOANS);
  writeIn(root, "library/pages/rules.md", RULES);
  const gold = "A reader may keep a borrowed book for 21 days.";
  const question = "How long may a reader keep a borrowed book?";
  writeIn(root, "library/answerable.jsonl", [{ id: "a", question, gold_pages: ["pages/loans.md"], gold_quotes: [gold] }]);
  const points = [...LOANS].length;
  const cards = [...LOANS.slice(0, LOANS.indexOf("A library"))].length;
  writeIn(root, "library/selected-text.jsonl", [
    { id: "s1", question, page: "pages/loans.md", selection: { start: 0, end: cards }, gold_quotes: [gold], key_values: ["21 days"] },
    {
      id: "s2",
      question: "How many seats has the garden?",
      page: "pages/loans.md",
      selection: { start: cards, end: points },
      unanswerable: true,
    },
  ]);
  writeIn(root, "library/pairs.jsonl", [{ id: "p1", a: question, b: `${question} `, same_answer: true, kind: "space" }]);
  writeIn(root, "doc2dial/pages/library.example/loans.md", LOANS);
  writeIn(root, "doc2dial/pages/rooms.example/rooms.md", ROOMS);
  writeIn(root, "doc2dial/pages/rooms.example/rooms-in-print.md", ROOMS);
  writeIn(root, "doc2dial/pages/rooms.example/stairs.md", STAIRS);
  const roomSpans: [string, [number, number]][] = [
    ["rooms", [9, ROOMS.length - 1]],
    ["rooms-in-print", [9, ROOMS.length - 1]],
    ["stairs", [STAIRS.indexOf("the garden"), STAIRS.indexOf(" twelve")]],
  ];
  const answers = [[LOANS.indexOf(gold), LOANS.indexOf(gold) + gold.length]];
  writeIn(root, "doc2dial/questions.jsonl", [
    { id: "d1", document: "pages/library.example/loans.md", question, answers, text: gold, turn: 1 },
    ...roomSpans.map(([page, span], i) => ({
      id: `d${2 + i}`,
      document: `pages/rooms.example/${page}.md`,
      question: "What does the garden room cost an hour?",
      answers: [span],
      text: "",
      turn: 2,
    })),
  ]);
  set = { ...set, corpus: join(root, "library"), golden: join(root, "library") };
});

const reportOf = async (events: AsyncIterable<EvaluateEvent>) => (await firstOf(events, "report")).report;

const common = () => ({ config: configSchema.parse({}), command: "eval", signal: new AbortController().signal, parts: SHARED_PARTS });

describe("measuring on golden sets", () => {
  it("doc2dial: quotes the grounding span, and refuses without the agency's pages", async () => {
    const { metrics, n, items } = await reportOf(evaluateDoc2dial({ ...common(), data: root, limit: 10, seed: 1 }));
    expect(n).toEqual({ questions: 4, first: 1 });
    expect(metrics).toMatchObject({ "first.quoted": 1, "refused.removed": 1, "library.example.quoted": 1 });
    // Two pages have the same text and one of them is quoted; the span of the third page is too short to count.
    expect(metrics).toMatchObject({ "rooms.example.quoted": 1 / 3, "rooms.example.quoted.words": 2 / 3 });
    expect(items.map(({ id }) => id)).toEqual(["d1", "d2", "d3", "d4"]);
    const one = await reportOf(evaluateDoc2dial({ ...common(), data: root, limit: 1, seed: 1 }));
    expect(one.n.questions).toBe(1);
  });

  it("selected text: finds the selection behind characters of two units, and quotes nothing from outside", async () => {
    const { metrics } = await reportOf(evaluateSelected({ ...common(), sets: [{ ...set, files: ["selected-text.jsonl"] }] }));
    expect(metrics).toMatchObject({ "right.answerable": 1, "refused.outside": 1, inside: 1 });
  });

  it("pairs: serves the same question and counts it as a hit", async () => {
    const { metrics, n } = await reportOf(evaluateGoldenPairs({ ...common(), sets: [{ ...set, files: ["pairs.jsonl"] }] }));
    expect(n).toEqual({ pairs: 1, same: 1 });
    expect(metrics).toMatchObject({ "pairs.hit_rate": 1, "pairs.false_hits": 0, "library.pairs.precision": 1 });
  });

  it("scans: finds what two pages say differently", async () => {
    const { metrics, items } = await reportOf(evaluateScans({ ...common(), sets: [set], sample: 12, seed: 1 }));
    expect(metrics["library.found"]).toBe(1);
    expect(items[0]).toMatchObject({ set: "library", rank: 1 });
  });

  it("drafts: leaves the sentence of the page alone and catches a number that is not on it", async () => {
    const { items } = await reportOf(evaluateMadeDrafts({ sets: [set], seed: 1, command: "eval drafts", signal: common().signal }));
    const of = (fault: string, rule: string) => items.find((item) => item.fault === fault && item.rule === rule);
    expect(of("none", "verbatim")).toMatchObject({ verdict: "pass" });
    expect(of("number", "other")?.verdict).not.toBe("pass");
  });
});
