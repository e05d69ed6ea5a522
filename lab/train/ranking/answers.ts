import { appendFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createEngine } from "../../../src/engine/engine.ts";
import { locatePlaces } from "../../../src/grading/golden-places.ts";
import { findGoldenSets, readGoldenSet } from "../../../src/grading/golden-set.ts";
import { judgeAnswerable, judgeUnanswerable, openGoldenSet } from "../../../src/grading/run-golden.ts";
import type { StageFacts } from "../../../src/pipeline/context.ts";
import { CONFIDENCE_FEATURES } from "../../../src/ranking/features.ts";
import { configSchema } from "../../../src/shared/config.ts";
import type { Answer } from "../../../src/shared/types.ts";

/**
 * Writes the confidence features of every answer to a question of the validation part, and whether it is right: `answers.js --validation
 * FOLDER --out answers.jsonl`. `fit.py confidence` learns from them.
 */
const { values: flags } = parseArgs({ options: { validation: { type: "string" }, out: { type: "string" } } });
if (flags.validation === undefined || flags.out === undefined) throw new Error("give --validation and --out");
const { validation, out } = { validation: flags.validation, out: flags.out };
writeFileSync(out, "");
const { signal } = new AbortController();
for (const folders of findGoldenSets(validation)) {
  const set = readGoldenSet(folders);
  // 0: every answer is shown and can be judged.
  const { engine, domain, close } = await openGoldenSet(set, {
    config: configSchema.parse({ answer_from: 0 }),
    signal,
    openEngine: createEngine,
  });
  try {
    const outlines = await engine.store.documents.outlines(engine.scope({ domain }));
    const places = locatePlaces(set, [...new Set(outlines.map(({ path }) => path))]);
    for (const one of set.answerable)
      write(one.question, "answerable", await ask(one.question), (answer) => judgeAnswerable(answer, one, places));
    for (const one of set.unanswerable)
      write(one.question, one.kind, await ask(one.question), (answer) => judgeUnanswerable(answer, one, places));
  } finally {
    await close();
  }

  async function ask(question: string): Promise<{ answer: Answer; facts: StageFacts }> {
    let facts: StageFacts = {};
    let answer: Answer | null = null;
    for await (const event of engine.ask(question, { domain, signal })) {
      if (event.type === "decide-end") facts = { ...facts, ...event.facts };
      else if (event.type === "answer") answer = event.answer;
    }
    if (answer === null) throw new Error(`"${question}" was not answered`);
    return { answer, facts };
  }

  function write(
    question: string,
    kind: string,
    { answer, facts }: { answer: Answer; facts: StageFacts },
    judge: (answer: Answer) => { readonly shown: boolean; readonly right: boolean | null },
  ): void {
    const { shown, right } = judge(answer);
    const confidence = Object.fromEntries(Object.keys(CONFIDENCE_FEATURES).map((name) => [name, facts[`best.${name}`] ?? null]));
    if (shown) appendFileSync(out, `${JSON.stringify({ set: set.name, question, kind, right, confidence })}\n`);
  }
}
