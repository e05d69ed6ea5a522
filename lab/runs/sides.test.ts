import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { locatePlaces } from "../../src/grading/golden-places.ts";
import { findGoldenSets, readGoldenSet } from "../../src/grading/golden-set.ts";
import { judgeAnswerable, openGoldenSet } from "../../src/grading/run-golden.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { configSchema } from "../../src/shared/config.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { unpackSets } from "../sets/unpack-sets.ts";

const SETS = new Map(findGoldenSets(unpackSets(join(PACKAGE_ROOT, "lab/sets/sides"))).map((folders) => [folders.name, folders]));
const { signal } = new AbortController();

/** Returns the questions whose answer does not begin with the asked row or sentence, if every answer is shown. */
async function missedIn(name: string): Promise<string[]> {
  const set = readGoldenSet(SETS.get(name) as NonNullable<ReturnType<typeof SETS.get>>);
  const config = configSchema.parse({ answer_from: 0 });
  const opened = await openGoldenSet(set, { config, signal, openEngine: (own) => createEngine(own, SHARED_PARTS) });
  const { engine, domain, close } = opened;
  try {
    const places = locatePlaces(set, [...new Set(set.answerable.flatMap(({ gold_pages: pages }) => pages))]);
    const missed: string[] = [];
    for (const one of set.answerable) {
      const answer = await engine.answer(one.question, { domain, signal });
      if (judgeAnswerable(answer, one, places).first !== true) missed.push(one.question);
    }
    return missed;
  } finally {
    await close();
  }
}

describe("siblings", () => {
  it("puts the row first that holds the number in the column asked for, but for three of 20 questions", async () => {
    expect(await missedIn("columns")).toEqual([
      "What rests 55 minutes before it is cut?",
      "Which tug pulls 60 tonnes?",
      "Where does a return ticket cost 6.40?",
    ]);
  });

  it("puts the asked one of two opposite sides first, but for three of 20 questions", async () => {
    expect(await missedIn("opposites")).toEqual([
      "Which flight takes a parcel heavier than 30 kg?",
      "Which lamp is lit with the pump on?",
      "How much do I get back for a ticket that I return more than a week before the performance?",
    ]);
  });
});
