import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEngine, type Engine } from "../src/engine/engine.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { configSchema } from "../src/shared/config.ts";
import type { Evidence } from "../src/shared/types.ts";
import { folderOfFile } from "./support/folders.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

/** Documents of three packs: the learned confidence requires at least 150 windows. */
const PACKS = ["veterans", "retail", "pharma"];

const folder = folderOfFile();
let engine: Engine;
beforeAll(async () => {
  for (const pack of PACKS) cpSync(join(PACKAGE_ROOT, "domains", pack, "documents"), join(folder, "pages", pack), { recursive: true });
  for (const pack of ["retail", "pharma"])
    cpSync(join(PACKAGE_ROOT, "domains", pack, "tenants"), join(folder, "pages", `${pack}-tenants`), { recursive: true });
  engine = await createEngine(
    configSchema.parse({ data_dir: join(folder, "data"), profile: "vg-rag", cache: { enabled: false } }),
    SHARED_PARTS,
  );
  for await (const _event of engine.ingest(join(folder, "pages")));
  const lines = readFileSync(join(PACKAGE_ROOT, "domains/veterans/golden/demo-answerable.jsonl"), "utf8").split("\n");
  const asked = await Promise.all(
    lines.slice(0, QUESTIONS).map((line) => engine.answer((JSON.parse(line) as { question: string }).question)),
  );
  all = asked.flatMap(({ evidence }) => evidence);
});
afterAll(() => engine.close());

const evidenceFor = async (question: string) => (await engine.answer(question)).evidence;
/** Evidence for the first questions of the veterans' pack. */
let all: Evidence[] = [];
const QUESTIONS = 12;

const pageOf = ({ passage }: Evidence) => passage.document.path.split("/").at(-1);

describe("vg-rag on passages of real documents", () => {
  it("puts real passages into each bucket", async () => {
    const sleep = await evidenceFor("sleep apnea with a cpap machine what rating is that");
    const [first] = sleep;
    expect([first?.verdict, first === undefined ? null : pageOf(first)]).toEqual(["verified", "rating-sleep-apnea.md"]);
    expect(new Set(all.map(({ verdict }) => verdict))).toEqual(new Set(["verified", "uncertain", "rejected"]));
    for (const { verdict, score } of all) {
      expect(verdict).toBe(score >= 0.75 ? "verified" : score >= 0.4 ? "uncertain" : "rejected");
    }
  });

  it("scores relevance by confidence, and consistency by faults of the text", () => {
    expect(all.every(({ reason }) => /row answers the question is \d\.\d\d|relevance is \d\.\d\d/.test(reason))).toBe(true);
    expect(all.some(({ consistency }) => consistency !== null && consistency < 1)).toBe(true);
    // An irrelevant passage is rejected however consistent it is, because .4 is the cube root of .064. A mean would keep it.
    const clear = all.filter(
      ({ relevance, consistency }) => relevance !== null && relevance < 0.4 ** 3 && consistency !== null && consistency > 0.9,
    );
    expect(clear.length).toBeGreaterThan(0);
    expect(new Set(clear.map(({ verdict }) => verdict))).toEqual(new Set(["rejected"]));
  });
});
