import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstOf } from "../../test/support/events.ts";
import { folderOfTest, writeIn } from "../../test/support/folders.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { type Config, configSchema } from "../shared/config.ts";
import { goldenItem } from "../testing/golden-item.ts";
import { createClaimJudge } from "./claim-judge.ts";
import { compareGolden, type MeasuredSet, renderGolden } from "./golden-report.ts";
import { findGoldenSets, readGoldenSet } from "./golden-set.ts";
import { runGolden } from "./run-golden.ts";

const here = folderOfTest();

const ANSWERABLE = {
  id: "a1",
  question: "How long may a reader keep a borrowed book?",
  gold_pages: ["pages/loans.md"],
  gold_quotes: ["A reader may keep a borrowed book for 21 days."],
  key_values: ["21 days"],
  needs: "lookup",
};
const UNANSWERABLE = { id: "u1", question: "What is the boiling point of tungsten?", kind: "out_of_scope" };

function writeSet(folder: string, rows: { answerable?: unknown[]; unanswerable?: unknown[] } = {}): string {
  writeIn(
    folder,
    "pages/loans.md",
    "# Loans\n\n## How long\n\nA reader may keep a borrowed book for 21 days. After that a fine of 2 dollars a week is due.\n\n## Cards\n\nA library card is free for residents.\n",
  );
  writeIn(folder, "x-answerable-dev.jsonl", rows.answerable ?? [ANSWERABLE]);
  writeIn(folder, "unanswerable.jsonl", rows.unanswerable ?? [UNANSWERABLE]);
  return folder;
}

async function run(
  folder: string,
  signal = new AbortController().signal,
  openEngine: (config: Config) => Promise<Engine> = (own) => createEngine(own, SHARED_PARTS),
): Promise<MeasuredSet> {
  const set = readGoldenSet({ name: "library", corpus: folder, golden: folder });
  const events = runGolden(set, { config: configSchema.parse({}), signal, openEngine, judge: createClaimJudge(null) });
  return { ...(await firstOf(events, "judged")), name: set.name };
}

describe("runGolden", () => {
  it("asks the regular engine and judges by the places of the quotes", async () => {
    const folder = writeSet(join(here.folder, "library"));
    const { asked, ingested } = await run(folder);
    expect(ingested.documents).toBe(1);
    expect(asked.map(({ item: { id, shown, right, first } }) => ({ id, shown, right, first }))).toEqual([
      { id: "a1", shown: true, right: true, first: true },
      { id: "u1", shown: false, right: false, first: null },
    ]);
    const text = renderGolden([{ name: "library", asked, ingested }]);
    expect(text).toContain("## a1: right");
    expect(text).toContain("> A reader may keep a borrowed book for 21 days.");
    expect(text).toContain("## u1: correctly refused");
  });

  it("leaves no files behind, also when it is cancelled", async () => {
    const folder = writeSet(join(here.folder, "library"));
    const folders: string[] = [];
    const openEngine = (config: Config) => {
      folders.push(config.data_dir);
      return createEngine(config, SHARED_PARTS);
    };
    await run(folder, new AbortController().signal, openEngine);
    const abort = new AbortController();
    abort.abort();
    await expect(run(folder, abort.signal, openEngine)).rejects.toThrow();
    expect(folders).toHaveLength(2);
    expect(folders.filter((one) => existsSync(join(one, "..")))).toEqual([]);
  });

  it("names the question with a missing page or quote", async () => {
    const other = writeSet(join(here.folder, "pages-missing"), { answerable: [{ ...ANSWERABLE, gold_pages: ["pages/none.md"] }] });
    await expect(run(other)).rejects.toMatchObject({ code: "golden_pages_missing", data: { id: "a1" } });
    const reworded = writeSet(join(here.folder, "quote-missing"), { answerable: [{ ...ANSWERABLE, gold_quotes: ["21 whole days"] }] });
    await expect(run(reworded)).rejects.toMatchObject({ code: "golden_quote_missing", data: { id: "a1" } });
  });
});

describe("readGoldenSet and findGoldenSets", () => {
  it("reject an invalid set with file and line", () => {
    const folder = writeSet(join(here.folder, "library"), { answerable: [ANSWERABLE, { id: "a2" }] });
    expect(() => readGoldenSet({ name: "x", corpus: folder, golden: folder })).toThrow(/x-answerable-dev\.jsonl:2 is not valid/);
    expect(() => readGoldenSet({ name: "x", corpus: join(here.folder, "none"), golden: folder })).toThrow(
      "does not exist. Give the folder",
    );
    expect(() => readGoldenSet({ name: "x", corpus: folder, golden: here.folder })).toThrow("contains no questions");
    writeSet(folder, { unanswerable: [{ ...UNANSWERABLE, id: "a1" }] });
    expect(() => readGoldenSet({ name: "x", corpus: folder, golden: folder })).toThrow("has two questions with the id a1");
  });

  it("find sets with their own pages and pairs of folders", () => {
    writeSet(join(here.folder, "golden", "book"));
    writeSet(join(here.folder, "va-golden"));
    mkdirSync(join(here.folder, "va-pages", "pages"), { recursive: true });
    mkdirSync(join(here.folder, "other", "pages"), { recursive: true });
    expect(findGoldenSets(here.folder).map(({ name }) => name)).toEqual(["book", "va", "va-golden"]);
    expect(() => findGoldenSets(join(here.folder, "other"))).toThrow("contains no golden set");
  });
});

describe("compareGolden", () => {
  const item = (id: string, right: boolean) => goldenItem(id, { right, first: right, page: true, quoted: right });

  it("compares the questions of both runs with a confidence interval", () => {
    const before = Array.from({ length: 40 }, (_, i) => item(`q${i}`, i < 10));
    const now = Array.from({ length: 40 }, (_, i) => item(`q${i}`, i < 30));
    const change = compareGolden([...now, item("new", true)], before).find(({ name }) => name === "right.answerable");
    expect(change).toMatchObject({ before: 0.25, difference: 0.5 });
    expect(change?.low).toBeGreaterThan(0.3);
    expect(change?.high).toBeLessThan(0.7);
  });
});
