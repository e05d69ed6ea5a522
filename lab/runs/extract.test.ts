import { beforeAll, describe, expect, it } from "vitest";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { readRankingWeights } from "../../src/ranking/features.ts";
import { fakeEvidence, fakePassage } from "../../src/testing/passages.ts";
import { firstOf } from "../../test/support/events.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { type ExtractSetName, readExtractSet } from "../sets/extract-sets.ts";
import { evaluateExtract, judgeDrafts } from "./extract.ts";

const data = folderOfFile();

beforeAll(() => {
  // The half of a site follows from the hash of its name.
  writeIn(data, "policyqa/passages_dev.jsonl", [
    { passage_id: "p0", site: "fool.com", text: "Zebras are striped. Cookies are kept for 30 days." },
    { passage_id: "p1", site: "fool.com", text: "We sell nothing to anyone." },
    { passage_id: "p2", site: "yahoo.com", text: "Cookies are kept for 7 days." },
  ]);
  const asked = (id: string, site: string, passage_id: string, question: string, text: string) => {
    return { id, site, passage_id, question, answers: [{ text, answer_start: 0 }] };
  };
  writeIn(data, "policyqa/questions_dev.jsonl", [
    asked("1", "fool.com", "p0", "How long are cookies kept?", "kept for 30 days"),
    asked("2", "fool.com", "p1", "Do you sell anything?", "We sell nothing"),
    asked("3", "fool.com", "p1", "Do you sell anything?", "does not stand there"),
    asked("4", "yahoo.com", "p2", "How long are cookies kept?", "7 days"),
  ]);
  const table = {
    uid: "u",
    table: [
      ["", "2019", "2018"],
      ["Fixed price", "1,452.4", "1,146.2"],
      ["Other", "44.1", "56.7"],
    ],
  };
  const question = (text: string, answer: unknown, answer_type: string) => ({ question: text, answer, answer_type });
  writeIn(data, "tatqa/tatqa_dev.jsonl", [
    {
      table,
      paragraphs: [{ order: 1, text: "Sales are in millions." }],
      questions: [
        question("What was the fixed price in 2019?", ["1,452.4"], "span"),
        question("What is the change in Other?", -12.6, "arithmetic"),
        question("What is it?", ["stands nowhere"], "span"),
      ],
    },
  ]);
});

async function run(sets: readonly ExtractSetName[], part: "held-out" | "tuning" = "held-out", limit = 100) {
  const options = {
    data,
    sets,
    part,
    limit,
    profile: sourcebound,
    encoder: sharedEncoder(),
    read: null,
    weights: readRankingWeights(),
    command: "test",
  };
  return firstOf(evaluateExtract({ ...options, signal: new AbortController().signal }), "report");
}

describe("readExtractSet", () => {
  it("finds the marked places in the normalised text; several places of one question are one question", () => {
    const set = readExtractSet("policyqa", data);
    expect(set?.questions.map(({ text }) => text)).toEqual(["How long are cookies kept?", "Do you sell anything?"]);
    const [document] = set?.documents ?? [];
    const gold = set?.questions.map((question) => question.gold);
    expect(
      gold?.flatMap((one) => (one.type === "spans" ? one.ranges.map(({ start, end }) => document?.text.slice(start, end)) : [])),
    ).toEqual(["kept for 30 days", "We sell nothing"]);
  });

  it("keeps what was tuned on apart from what is reported", () => {
    expect(readExtractSet("policyqa", data, "tuning")?.documents.map(({ id }) => id)).toEqual(["yahoo.com"]);
  });

  it("asks no table for what does not stand in it", () => {
    expect(readExtractSet("tatqa", data)?.questions.map(({ text }) => text)).toEqual(["What was the fixed price in 2019?"]);
  });
});

describe("evaluateExtract", () => {
  it("counts answers that hold what people marked, among those for which it was found", async () => {
    const { report } = await run(["policyqa", "tatqa"]);
    expect(report.n).toMatchObject({ "policyqa.questions": 2, "policyqa.found": 2, "tatqa.questions": 1 });
    expect(report.metrics).toMatchObject({ "policyqa.held": 1, "policyqa.exact": 1, "tatqa.held": 1 });
    expect(report.metrics["policyqa.words.median"]).toBeGreaterThan(0);
  });
});

describe("judgeDrafts", () => {
  const passage = fakePassage({ segments: ["Zebras.", "It costs 5."] });
  const draft = (start: number, end: number) => {
    const text = passage.text.slice(start, end);
    return { text, quotes: [{ passage, start, end, text }], missing: [] };
  };
  const gold = { type: "spans" as const, document: "d", ranges: [{ start: 11, end: 18 }] };

  it("wants a quote that overlaps a marked place of the same document", () => {
    const evidence = [fakeEvidence(passage)];
    expect(judgeDrafts(gold, [draft(8, 19)], evidence)).toMatchObject({ found: true, held: true, exact: true, words: 3 });
    expect(judgeDrafts(gold, [draft(0, 7)], evidence)).toMatchObject({ found: true, held: false });
    expect(judgeDrafts({ ...gold, document: "other" }, [draft(8, 19)], evidence)).toMatchObject({ found: false, held: false });
  });
});
