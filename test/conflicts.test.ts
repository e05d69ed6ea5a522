import { afterEach, describe, expect, it } from "vitest";
import { answerToWire, askResponseSchema } from "../src/wire/index.ts";
import { collect, type Library, openLibrary } from "./support/engine.ts";

let library: Library | null = null;
afterEach(async () => {
  await library?.close();
  library = null;
});
const DOCUMENTS = {
  "documents/fees.md": "# Card fees\n\nA replacement library card costs $5 for every adult member.\n",
  "documents/prices.md": "# Card prices\n\nA replacement library card costs $8 for every adult member.\n",
  "documents/roof.md": "# Roof\n\nThe roof of the reading room was repaired in spring.\n",
};

describe("sources that contradict each other", () => {
  it("stand side by side in the answer, with a warning, and it is not cached", async () => {
    library = await openLibrary({ documents: DOCUMENTS });
    const answer = await library.ask("What does a replacement library card cost?");
    expect(answer.status).toBe("ok");
    expect(answer.conflicts).toHaveLength(1);
    expect(answer.conflicts[0]?.sides.map(({ value }) => value).sort()).toEqual(["$5", "$8"]);
    const warning = answer.warnings.find(({ code }) => code.startsWith("conflict"));
    for (const value of ["$5", "$8"]) expect(warning?.message).toContain(value);
    expect(askResponseSchema.safeParse(answerToWire(answer)).error).toBeUndefined();
    expect((await library.ask("What does a replacement library card cost?")).conflicts).toHaveLength(1);
  });

  it("are listed by a scan of all documents", async () => {
    library = await openLibrary({ documents: DOCUMENTS });
    const events = await collect(library.engine.conflicts());
    const last = events.at(-1);
    expect(last?.type === "conflicts" && last.conflicts.map(({ sides }) => sides.map(({ value }) => value).sort())).toEqual([["$5", "$8"]]);
    expect(events.filter(({ type }) => type === "progress")).toHaveLength(3);
  });
});
