import { describe, expect, it, onTestFinished } from "vitest";
import { createEngine } from "../src/engine/engine.ts";
import { createClaimJudge } from "../src/grading/claim-judge.ts";
import { createEvaluations } from "../src/grading/evaluations.ts";
import { layOutDocuments } from "../src/grading/golden-set.ts";
import { openInTest } from "./support/engine.ts";
import { LIBRARY_DOCUMENTS } from "./support/library.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

const MAILBOX =
  "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@b\nSubject: Skis\n\nSkis are lent for 4 days in winter.\n\nFrom a@b Thu Jan  1 00:00:00 2026\nFrom: a@b\nSubject: Boats\n\nBoats are lent for 6 hours in summer.\n";
const QUESTIONS = {
  name: "own.yaml",
  text: JSON.stringify({
    questions: [
      { question: "How long may books be kept?", gold_quotes: ["Books may be kept for 21 days."], key_values: ["21 days"] },
      { question: "For how long are boats lent in summer?", key_values: ["6 hours"] },
      { question: "Do you sell penguins?", kind: "out_of_scope" },
    ],
  }),
};

describe("questions sent to a server", () => {
  it("are asked of the indexed documents, and the report names the command that repeats the run", async () => {
    const { engine } = await openInTest({ documents: { ...LIBRARY_DOCUMENTS, "mail#1/lent.mbox": MAILBOX } });
    const evaluations = createEvaluations({
      config: engine.config,
      openEngine: (config) => createEngine(config, SHARED_PARTS),
      openJudge: async () => createClaimJudge(null),
      layOut: (domain, to) => layOutDocuments(engine, domain, to),
    });
    onTestFinished(() => evaluations.close());
    const { id } = evaluations.start({ domain: "library", profile: null, questions: QUESTIONS });
    await expect.poll(async () => (await evaluations.get(id)).state).not.toBe("running");
    const { state, reason, total, report } = await evaluations.get(id);
    expect([state, reason, total]).toEqual(["done", null, 3]);
    expect(report?.command).toBe("POST /v1/evaluations (own.yaml)");
    expect(report?.metrics["answered.answerable"]).toBe(1);
    expect(report?.metrics["right.answerable"]).toBe(1);
  });
});
