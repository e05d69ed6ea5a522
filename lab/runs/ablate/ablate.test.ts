import { beforeAll, describe, expect, it } from "vitest";
import { createShippedJudge } from "../../../src/grading/claim-judge.ts";
import { readGoldenSet } from "../../../src/grading/golden-set.ts";
import type { Report } from "../../../src/grading/report.ts";
import { loadConfig } from "../../../src/shared/config.ts";
import { firstOf } from "../../../test/support/events.ts";
import { copyVeteransPages, folderOfFile, writeIn } from "../../../test/support/folders.ts";
import { SHARED_PARTS } from "../../../test/support/shared-parts.ts";
import { ablate } from "./ablate.ts";
import type { Writer } from "./ablated-item.ts";
import { RUNGS } from "./rungs.ts";
import type { FaultRates } from "./scripted-model.ts";
import { summarizeAblation } from "./summarize.ts";

const DOCUMENTS = ["decision-reviews.md", "burial-benefits.md", "tdiu.md", "rating-hearing-loss-and-tinnitus.md"];
const ASKED = [
  ["How long do I have to ask for a Higher-Level Review?", "decision-reviews.md"],
  ["What is the burial allowance?", "burial-benefits.md"],
  ["What ratings do I need for individual unemployability?", "tdiu.md"],
  ["What rating does tinnitus get?", "rating-hearing-loss-and-tinnitus.md"],
] as const;
const EVERY_DRAFT: FaultRates = { hallucination: 1, number: 1, url: 1, citation: 1 };
const NEVER: FaultRates = { hallucination: 0, number: 0, url: 0, citation: 0 };

const folder = folderOfFile();
beforeAll(() => {
  copyVeteransPages(folder, DOCUMENTS);
  writeIn(
    folder,
    "va-answerable-test.jsonl",
    ASKED.map(([question, page], i) => ({ id: `a${i}`, question, gold_pages: [`pages/${page}`], difficulty: "easy" })),
  );
  writeIn(folder, "va-unanswerable-test.jsonl", [
    { id: "u0", question: "Which vaccines does the zoo require for penguins?", kind: "out_of_scope" },
  ]);
});

const rungs = RUNGS.filter(({ of }) => of === undefined);

function start(rates: FaultRates, { signal = new AbortController().signal, writer = "scripted" as Writer, some = rungs } = {}) {
  const config = loadConfig({ cwd: folder, env: {} });
  const set = readGoldenSet({ name: "test", corpus: folder, golden: folder });
  const judge = createShippedJudge();
  return ablate({
    chosen: { set, domain: "veterans" },
    rungs: some,
    writer,
    rates,
    rounds: 1,
    seed: 3,
    config,
    judge,
    signal,
    parts: SHARED_PARTS,
  });
}
async function run(rates: FaultRates, writer: Writer = "scripted", some = rungs): Promise<Report> {
  const ablated = await firstOf(start(rates, { writer, some }), "ablated");
  return summarizeAblation([{ ...ablated, writer, rungs: some, rounds: 1 }], { command: "test", seed: 3, rates }).report;
}
const metric = ({ metrics }: Report, name: string) => metrics[`scripted.${name}`] ?? null;

describe("ablate", () => {
  it("shows what is made up where no layer is on, and no address, number or citation of it where ours are", async () => {
    const report = await run(EVERY_DRAFT);
    for (const name of ["hallucination_rate", "false_urls", "fabricated_numbers"]) {
      expect([name, metric(report, `none.${name}`), metric(report, `none.${name}.quiet`)]).toEqual([name, 1, 1]);
    }
    expect(metric(report, "none.invalid_citations.of_written")).toBe(1);
    expect(metric(report, "none.invalid_citations.written")).toBeGreaterThan(2);
    expect(metric(report, "none.invalid_citations_stored")).toBe(metric(report, "none.invalid_citations"));
    const fates = (rung: string) =>
      new Set(
        report.items.filter((item) => item.rung === rung).flatMap((item) => (item.written as { fate: string }[]).map(({ fate }) => fate)),
      );
    expect(fates("none")).not.toContain("warned");
    expect(fates("ours")).toContain("removed");
    expect(metric(report, "none.weak_retrieval_answers")).toBe(1);
    expect(metric(report, "none.verification_score")).toBeLessThan(0.6);
    expect(metric(report, "none.verification_score.reported")).toBeNull();
    for (const name of ["false_urls", "fabricated_numbers", "invalid_citations", "invalid_citations_stored", "weak_retrieval_answers"]) {
      expect([name, metric(report, `ours.${name}`)]).toEqual([name, 0]);
    }
    expect(metric(report, "ours.false_urls.written")).toBeGreaterThan(0);
    expect(metric(report, "ours.verification_score")).toBeGreaterThan(metric(report, "none.verification_score") ?? 1);
    expect(metric(report, "seven.shown.nowhere")).toBe(0);
    expect(metric(report, "four.weak_retrieval_answers.flagged")).toBe(1);
    const again = await run(EVERY_DRAFT);
    expect(again).toEqual({ ...report, date: again.date, timings: again.timings });
  });

  it("finds nothing where nothing was made up", async () => {
    const report = await run(NEVER);
    for (const rung of ["none", "four", "seven", "ours"]) {
      expect(metric(report, `${rung}.hallucination_rate`)).toBe(0);
      expect(metric(report, `${rung}.false_urls.written`)).toBe(0);
      expect(metric(report, `${rung}.false_urls.of_written`)).toBeNull();
    }
    expect(metric(report, "none.verification_score")).toBe(1);
    expect(metric(report, "none.faithful_shown")).toBe(1);
  });

  it("shows what each single layer holds back", async () => {
    const names = ["seven", "seven-3", "seven-6", "ours", "ours-support"];
    const some = RUNGS.filter(({ name }) => names.includes(name));
    // A sentence with an invented URL usually fails the entailment check first; the effect of the URL check shows only without that check.
    const alone = some.map(({ name, profile, ...rest }) => ({
      ...rest,
      name: `${name}-addresses`,
      profile: { ...profile, name: `${profile.name}-addresses`, check: { ...profile.check, urls: "off" as const } },
    }));
    const report = await run(EVERY_DRAFT, "scripted", [...some, ...alone.filter(({ name }) => name === "ours-support-addresses")]);
    expect(metric(report, "seven.false_urls")).toBeLessThan(metric(report, "seven-3.false_urls") ?? 0);
    expect([metric(report, "seven.shown.nowhere"), metric(report, "seven-6.shown.nowhere")]).toEqual([0, 1]);
    expect(metric(report, "ours.false_urls")).toBe(0);
    expect(metric(report, "ours-support.false_urls")).toBe(0);
    expect(metric(report, "ours-support-addresses.false_urls")).toBeGreaterThan(0);
  });

  it("measures quotes without a model, and says which come from another place", async () => {
    const { metrics } = await run(NEVER, "quotes");
    for (const rung of ["none", "four", "seven", "ours"]) {
      expect(metrics[`quotes.${rung}.fabricated_numbers`]).toBe(0);
      expect(metrics[`quotes.${rung}.cost_usd`]).toBe(0);
      expect(metrics[`quotes.${rung}.faithful_shown`]).toBeNull();
    }
    expect(metrics["quotes.none.hallucination_or_wrong_passage"]).toBeGreaterThan(0);
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const stopped = async () => {
      for await (const event of start(NEVER, { signal: controller.signal })) {
        seen.push(event.type);
        if (seen.length === 3) controller.abort(new Error("stopped"));
      }
    };
    await expect(stopped()).rejects.toThrow("stopped");
    expect(seen).toHaveLength(3);
  });
});
