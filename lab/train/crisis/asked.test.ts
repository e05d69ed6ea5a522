import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { createReaderKeeper, openCrisisFinder } from "../../../src/engine/local-models.ts";
import { readLinesOf } from "../../../src/grading/golden.ts";
import { asksAnything } from "../../../src/guard/hotlines.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { PACKAGE_ROOT } from "../../../src/package.ts";
import { part } from "../../../test/support/trials.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";

/** Maximum share of ordinary questions that get only the hotline. */
const ALONE = 0.01;

it("takes hardly a question to a collection that it did not learn from for a crisis beneath which nothing is shown", async () => {
  const files = globSync(join(unpackSets(join(PACKAGE_ROOT, "lab/sets/strangers")), "*/*able-dev.jsonl")).sort();
  const questions = files.flatMap((file) => readLinesOf(file, z.looseObject({ question: z.string() }), "data_invalid"));
  expect(questions.length).toBeGreaterThan(700);
  const reader = createReaderKeeper();
  const find = openCrisisFinder(sharedEncoder, reader);
  const alone: string[] = [];
  const asked = part(questions, 300);
  for (const { question } of asked) {
    const crisis = await find(question);
    if (crisis === "likely" || (crisis === "possible" && !asksAnything(question))) alone.push(question);
  }
  await reader.close();
  expect(alone.length, alone.join("\n")).toBeLessThanOrEqual(ALONE * asked.length);
});
