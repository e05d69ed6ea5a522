import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startFakeEndpoint } from "../src/testing/fake-endpoint.ts";
import { runCli, startCli } from "./support/cli.ts";
import { folderOfTest } from "./support/folders.ts";
import { LIBRARY_DOCUMENTS, writeFiles } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

const here = folderOfTest();
let cwd = "";
beforeEach(() => {
  cwd = here.folder;
  writeFiles(join(cwd, "manual"), LIBRARY_DOCUMENTS);
  // Four short pages give low confidence; other tests cover the bundled threshold.
  writeFileSync(join(cwd, "sourcebound.config.yaml"), "answer_from: 0.3\n");
  writeFileSync(
    join(cwd, "questions.yaml"),
    `questions:
  - { id: a1, question: How long may books be kept?, gold_pages: [loans.md], gold_quotes: [Books may be kept for 21 days.], key_values: [21 days], answer: 21 days. }
  - { id: a2, question: What does replacing a lost card cost?, key_values: [3 dollars] }
  - { id: u1, question: What is the boiling point of tungsten?, kind: out_of_scope }
`,
  );
});

/** Number of questions in a run that is cancelled half-way. */
const MANY = rounds({ all: 60, usually: 24 });
const COMMAND = ["eval", "golden", "--corpus", "manual", "--golden", "questions.yaml"];
const read = (file: string) => JSON.parse(readFileSync(join(cwd, file), "utf8"));
/** Removes date and timings, which vary. */
const stable = (file: string) => ({ ...read(file), date: "", timings: {} });

describe("eval golden", () => {
  it("writes figures with n and intervals, and a page without scripts and requests", async () => {
    const run = await runCli([...COMMAND, "--out", "one.json", "--html", "one.html"], { cwd });
    expect(run).toMatchObject({ code: 0 });
    const { n, metrics, items } = read("one.json");
    expect(n).toMatchObject({ questions: 3, asked: 3 });
    expect(metrics).toMatchObject({ "right.answerable": 1, "context_recall.n": 1, "cost.mean_usd": 0, "faults.fabricated": 0 });
    expect(items[2].unscored.context_recall).toBe("the question is unanswerable");
    const page = readFileSync(join(cwd, "one.html"), "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|\son\w+=|\sstyle=|<img|<link|url\(/);
  });

  it("gives the same result twice, and compares two runs by pairs", async () => {
    await runCli([...COMMAND, "--out", "one.json"], { cwd });
    await runCli([...COMMAND, "--out", "two.json"], { cwd });
    expect(stable("two.json")).toEqual(stable("one.json"));
    const compared = await runCli([...COMMAND, "--against", "one.json", "--out", "three.json"], { cwd });
    expect(compared.stdout).toContain("before 1.00, +.00 [+.00, +.00]");
    expect(read("three.json").metrics).toMatchObject({ "right.answerable.change": 0 });
    expect((await runCli([...COMMAND, "--against", "one.json", "--fail-under", "right.answerable.change=0"], { cwd })).code).toBe(0);
  });

  it("fails for a violated bound, and for a figure that could not be scored", async () => {
    expect((await runCli([...COMMAND, "--fail-under", "right.answerable=.9"], { cwd })).code).toBe(0);
    const wrong = await runCli([...COMMAND, "--fail-over", "answered.answerable=.5"], { cwd });
    expect(wrong).toMatchObject({ code: 5, stderr: expect.stringContaining("answered.answerable is 1.00; it must be at most .50") });
    const unscored = await runCli([...COMMAND, "--fail-under", "refused.near_miss=.5"], { cwd });
    expect(unscored.code).toBe(2);
    const untold = await runCli([...COMMAND, "--fail-under", "confidence.auroc=.5"], { cwd });
    expect(untold).toMatchObject({ code: 5, stderr: expect.stringContaining("confidence.auroc could not be scored") });
    expect((await runCli([...COMMAND, "--fail-under", "right"], { cwd })).code).toBe(2);
    const unknown = await runCli([...COMMAND, "--out", "bound.json", "--fail-under", "right.answerabel=.5"], { cwd });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "right.answerable"?') });
    // The corrected command asks no question again.
    const corrected = await runCli([...COMMAND, "--out", "bound.json", "--fail-under", "right.answerable=.5"], { cwd });
    expect(corrected).toMatchObject({ code: 0, stderr: expect.stringContaining("continuing from there") });
    expect(existsSync(join(cwd, "bound.json.partial.jsonl"))).toBe(false);
  });

  it("keeps the results of a cancelled run, and completes the same report from them", async () => {
    const many = Array.from(
      { length: MANY },
      (_, i) => `  - { id: m${i}, question: "How long may books be kept, copy ${i}?", key_values: [21 days] }`,
    );
    writeFileSync(join(cwd, "questions.yaml"), `questions:\n${many.join("\n")}\n`);
    const running = startCli([...COMMAND, "--out", "cut.json"], { cwd });
    const journal = join(cwd, "cut.json.partial.jsonl");
    while (!existsSync(journal) || readFileSync(journal, "utf8").split("\n").length < 5)
      await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill("SIGINT");
    const { code } = await running.finished;
    expect(code).toBe(130);
    const { n } = read("cut.json");
    expect(n.questions).toBe(MANY);
    expect(n.asked).toBeGreaterThan(2);
    expect(n.asked).toBeLessThan(MANY);
    // A power cut truncates the last line.
    writeFileSync(journal, readFileSync(journal, "utf8").slice(0, -20));
    const resumed = await runCli([...COMMAND, "--out", "cut.json"], { cwd });
    expect(resumed.stderr).toContain(`${n.asked - 1} questions were answered by a cancelled run`);
    expect(existsSync(journal)).toBe(false);
    await runCli([...COMMAND, "--out", "whole.json"], { cwd });
    expect(stable("cut.json")).toEqual(stable("whole.json"));
  });

  it("replays recorded model output exactly, without the model", async () => {
    const endpoint = await startFakeEndpoint({ chat: () => ({ type: "stream", pieces: ["Books may be kept for 21 days [1]."] }) });
    const env = { SOURCEBOUND_MODEL_BASE_URL: endpoint.url, SOURCEBOUND_MODEL_SMALL: "fake" };
    try {
      expect(await runCli([...COMMAND, "--out", "live.json", "--record", "said.json"], { cwd, env })).toMatchObject({ code: 0 });
    } finally {
      await endpoint.close();
    }
    const played = await runCli([...COMMAND, "--out", "played.json", "--recorded", "said.json"], { cwd, env });
    expect(played.code).toBe(0);
    expect(stable("played.json")).toEqual(stable("live.json"));
    expect(read("said.json").calls.length).toBeGreaterThan(0);
    expect((await runCli([...COMMAND, "--recorded", "questions.yaml"], { cwd })).stderr).toContain("contains no recorded model output");
    expect((await runCli([...COMMAND, "--record", "no.json"], { cwd })).stderr).toContain("There is no model");
  });

  it("continues after a question that cannot be asked, and does not count it", async () => {
    const rows = [
      { id: "long", question: "x".repeat(9000), kind: "nonsense" },
      { id: "good", question: "How long may books be kept?", key_values: ["21 days"] },
    ];
    writeFileSync(join(cwd, "rows.json"), JSON.stringify(rows));
    const command = ["eval", "golden", "--corpus", "manual", "--golden", "rows.json", "--out", "r.json"];
    expect((await runCli([...command, "--fail-under", "right.answerable=.5"], { cwd })).code).toBe(5);
    expect(await runCli(command, { cwd })).toMatchObject({ code: 0, stderr: expect.stringContaining("leave out 1 questions") });
    const { n, metrics, items } = read("r.json");
    expect(n).toMatchObject({ asked: 2, not_asked: 1 });
    expect(metrics["right.answerable"]).toBe(1);
    expect(metrics["refused.nonsense"]).toBeUndefined();
    expect(items[1]).toMatchObject({ id: "long", error: "question_too_long", right: null });
  });
});
