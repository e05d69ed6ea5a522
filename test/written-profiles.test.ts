import { describe, expect, it } from "vitest";
import { answerToWire } from "../src/wire/index.ts";
import {
  ask,
  askOnce,
  codes,
  DOCUMENTS,
  expectShownIsFinal,
  GOOD,
  near,
  open,
  promptOf,
  QUESTION,
  stream,
  TINNITUS,
  texts,
  using,
} from "./support/model-engine.ts";

const TEN = "Tinnitus is rated at 10 percent.";
const BAD = "Tinnitus is rated at 70 percent";
const CACHED = { cache: { enabled: true } };

describe.concurrent("layers of seven-layer", () => {
  it("run in the order of their source, on one answer that needs them all", async () => {
    const { answer, events, endpoint } = await askOnce(
      open(
        {
          chat: [
            stream(`${TEN.slice(0, -1)} [1]. ${BAD}, says https://evil.example/x [1]. It is diagnostic code 7199 [2]. File early [12].`),
          ],
        },
        { encoder: near(0.47, { Tinnitus: 0.49 }) },
      ),
      { profile: "seven-layer" },
    );
    expect(answer.evidence.every(({ verdict }) => verdict === "verified")).toBe(true); // 1: all above .45
    expect(promptOf(endpoint, 0).system).toContain("Use the sources and nothing else"); // 2
    expect(texts(answer)).toContain("Tinnitus is rated at 70 percent, says https://www.va.gov/."); // 3
    expect(answer.checks).toContainEqual(expect.objectContaining({ name: "verification-score", verdict: "warn", score: 1 / 3 })); // 4
    expect(codes(answer).filter((code) => code === "check_values")).toHaveLength(2); // 5: a percentage and a code
    expect(answer.sentences.at(-1)).toEqual({ text: "File early.", citations: [] }); // 6
    expect(answer.warnings[0]).toMatchObject({ code: "low_confidence", message: expect.stringContaining("49.0 %") }); // 7
    expect(endpoint.chats).toHaveLength(1);
    const order = events.map(({ type }) => type);
    expect(order.indexOf("warning")).toBeLessThan(order.indexOf("sentence"));
    expectShownIsFinal(events, answer);
  });

  it("remove a citation that no source has before the answer is cached", () =>
    using(
      open({ chat: [stream(`${TEN.slice(0, -1)} [1][12].`)] }, { encoder: near(0.6, { Tinnitus: 0.9 }) }, DOCUMENTS, {}, CACHED),
      async ({ engine, endpoint }) => {
        const { answer } = await ask(engine, QUESTION, { profile: "seven-layer" });
        expect(answer.checks).toContainEqual(expect.objectContaining({ name: "citations", verdict: "repaired" }));
        const { answer: again } = await ask(engine, QUESTION, { profile: "seven-layer" });
        expect([again.cacheMode, again.sentences]).toEqual(["exact", [{ text: TEN, citations: [1] }]]);
        expect(endpoint.chats).toHaveLength(1);
      },
    ));
});

describe.concurrent("compression by a model in spark", () => {
  const SPARK = { profile: "spark" } as const;
  const opened = (selected: string) =>
    open({ chat: [stream(selected), stream(...GOOD.slice(0, 2))] }, { encoder: near(0.5, { Tinnitus: 0.9 }) });

  it("gives the writer the selected quotes verbatim, and counts its tokens separately", async () => {
    const { answer, endpoint } = await askOnce(opened("1"), SPARK);
    const prompt = promptOf(endpoint, 1).user;
    expect(prompt).toContain(`[1] (Tinnitus rating) ${TINNITUS}\n`);
    expect(prompt).not.toContain("[2]");
    expect(answer.tokenUsage).toEqual({ verification: 0, compression: 110, answer: 110, total: 220 });
    expect(answer.calls.map(({ stage, model }) => [stage, model])).toEqual([
      ["compress", "small"],
      ["write", "large"],
    ]);
    expect(texts(answer)).toEqual([TEN]);
  });

  it.each(["0", "Tinnitus is rated at 70 percent."])("falls back to rules after the reply %j", async (selected) => {
    const { answer, endpoint } = await askOnce(opened(selected), SPARK);
    const prompt = promptOf(endpoint, 1).user;
    expect(prompt).toContain("[2]");
    expect(prompt).not.toContain("70 percent");
    expect(texts(answer)).toEqual([TEN]);
  });
});

describe.concurrent("the report of validator", () => {
  it("has its own format, and a reason for every metric without a result", () =>
    using(open({ chat: [stream(...GOOD)] }, { encoder: near() }), async ({ engine }) => {
      const { report } = answerToWire((await ask(engine, QUESTION, { profile: "validator" })).answer);
      expect(Object.keys(report ?? {})).toEqual(["overall_pass", "metrics"]);
      expect(Object.keys(report?.metrics ?? {})).toEqual([
        "pii_leakage",
        "token_budget",
        "answer_relevancy",
        "faithfulness",
        "chain_terminology",
      ]);
      const told = Object.values(report?.metrics ?? {}).map(({ passed }) => passed);
      expect(report?.overall_pass).toBe(told.includes(false) ? false : told.includes(null) ? null : true);
      for (const { passed, reason } of Object.values(report?.metrics ?? {})) expect(passed !== null || reason !== "").toBe(true);
      expect((await ask(engine)).answer.report).toBeUndefined();
    }));
});

describe.concurrent("personal data under validator", () => {
  const SSN = "Tinnitus is rated at 10 percent for file 219-09-9999";

  it("withholds the whole answer, including earlier sentences, and fails the report", async () => {
    const { answer, events } = await askOnce(
      open({ chat: [stream(`${TEN.slice(0, -1)} [1]. ${SSN} [1]. ${TEN.slice(0, -1)} again [1].`)] }, { encoder: near() }),
      { profile: "validator" },
    );
    expect(events.filter(({ type }) => type === "sentence")).toEqual([]);
    expect(answer).toMatchObject({
      status: "insufficient_context",
      sentences: [],
      citations: [],
      claims: [],
      refusal: { reason: "not_reliable" },
    });
    expect(answer.refusal?.message).toContain("withheld");
    expect(answer.report?.overallPass).toBe(false);
    expect(answer.report?.metrics.pii_leakage).toMatchObject({ passed: false });
    expect(JSON.stringify({ ...answer, question: "" })).not.toContain("219-09-9999");
  });

  it("withholds an answer of quotes as well, and shows the same answer without the data", async () => {
    const documents = { "tinnitus.md": `# Tinnitus rating\n\n${TEN} ${SSN}.\n` };
    const shown = (pages: Readonly<Record<string, string>>) =>
      using(
        open({ chat: [{ type: "status", status: 500 }] }, { encoder: near() }, pages),
        async ({ engine }) => (await ask(engine, QUESTION, { profile: "validator" })).answer,
      );
    expect((await shown(documents)).sentences).toEqual([]);
    const clean = await shown(DOCUMENTS);
    expect(clean.sentences.length).toBeGreaterThan(0);
    expect(clean.report?.metrics.pii_leakage).toMatchObject({ passed: true });
  });
});
