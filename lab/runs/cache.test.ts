import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/shared/config.ts";
import { firstOf } from "../../test/support/events.ts";
import { copyVeteransPages, folderOfFile, writeIn } from "../../test/support/folders.ts";
import { evaluateCache } from "./cache.ts";
import type { Served } from "./cache-end-to-end.ts";
import { judgePairs } from "./cache-va.ts";

const pair = (id: string, same_answer: boolean) => ({ id, a: `${id} stored`, b: `${id} asked`, same_answer, kind: "made" });
const served = (yes: boolean, rule = "same"): Served => ({
  ...{ served: yes, rule, detail: "", score: yes ? 1 : 0, cosine: 0.5 },
  ...({ level: yes ? "semantic" : "miss", storedAs: "own" } as const),
});

const folder = folderOfFile();

describe("judgePairs", () => {
  it("counts hits, false hits and the rules of misses, with `a` stored before `b` is asked", async () => {
    const asked: string[] = [];
    const result = await judgePairs([pair("1", true), pair("2", true), pair("3", false), pair("4", false)], async (stored, question) => {
      asked.push(`${stored} > ${question}`);
      return served(question.startsWith("1") || question.startsWith("3"), "values");
    });
    expect(asked[0]).toBe("1 stored > 1 asked");
    expect(result.metrics).toMatchObject({ "pairs.hit_rate": 0.5, "pairs.false_hits": 1, "pairs.missed.values": 1 });
    expect(result.n).toEqual({ "pairs.share": 2, "pairs.others": 2 });
  });
});

describe("evaluateCache", () => {
  it("asks the whole engine too, pair by pair, and says whose answer was stored", async () => {
    copyVeteransPages(folder, ["decision-reviews.md", "burial-benefits.md", "tdiu.md"]);
    const review = "How long do I have to ask for a Higher-Level Review?";
    const rows = [
      { id: "same", a: review, b: "How much time is there to request a Higher-Level Review?", same_answer: true },
      { id: "repeat", a: "What is the burial allowance?", b: "what is the burial allowance", same_answer: true },
      // A hit would mean that the answer of the first pair was still stored.
      { id: "earlier", a: "What is the burial allowance?", b: review, same_answer: false },
      { id: "refused", a: "Which vaccines does the zoo require for penguins?", b: review, same_answer: false },
    ];
    writeIn(
      folder,
      "va-pairs-test.jsonl",
      rows.map((row) => ({ ...row, kind: "test" })),
    );
    const config = loadConfig({ cwd: folder, env: {}, overrides: { answer_from: 0.2 } });
    const { signal } = new AbortController();
    const options = { corpus: folder, golden: folder, domain: "veterans", command: "test" };
    const { metrics, items } = (await firstOf(evaluateCache({ ...options, config, signal }), "report")).report;
    expect(metrics).toMatchObject({
      "pairs.end_to_end.hit_rate": 1,
      "pairs.end_to_end.false_hits": 0,
      "pairs.end_to_end.own.hit_rate": 1,
      "pairs.end_to_end.level.exact": 1,
      "pairs.end_to_end.level.semantic": 1,
      "pairs.end_to_end.stored.own": 3,
    });
    const of = (id: string) => items.find((item) => item.id === `pairs.end_to_end.${id}`);
    expect(of("repeat")).toMatchObject({ served: true, level: "exact", storedAs: "own" });
    expect(of("earlier")).toMatchObject({ served: false, level: "miss" });
    expect(of("refused")?.storedAs).not.toBe("own");
  });
});
