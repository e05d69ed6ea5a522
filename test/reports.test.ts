import { rmSync, writeFileSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { loadCalibrations, scaleFor } from "../src/models/calibration/calibration.ts";
import { readRankingWeights } from "../src/ranking/features.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { fakeEncoder } from "../src/testing/fake-encoder.ts";
import { type Library, type LibraryOptions, openInTest } from "./support/engine.ts";
import { CARD, writeFiles } from "./support/library.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

/** Uses the bundled threshold, so that questions are refused. */
const open = (options: LibraryOptions = {}): Promise<Library> =>
  openInTest({ ...options, settings: { answer_from: readRankingWeights().threshold.minimum, ...options.settings } });

/** Returns the report id from the `remember-end` event. */
async function reportOf({ events }: Library, question: string, options = {}): Promise<unknown> {
  const end = (await events(question, options)).find(({ type }) => type === "remember-end");
  return end !== undefined && "facts" in end ? end.facts.report : undefined;
}

const REFUSED = "Which library card do penguins of the zoo need?";

describe("diagnostic reports", () => {
  it("are created for refusals, not for good answers, and are also found by the answer's id", async () => {
    const library = await open();
    const { engine, ask } = library;
    expect(await reportOf(library, CARD)).toBeNull();
    const answer = await ask(REFUSED);
    expect(answer.refusal).not.toBeNull();
    const report = await engine.report(answer.id);
    expect(report).toMatchObject({ interactionId: answer.id, topic: "cards", question: REFUSED, report: { causes: ["refused"] } });
    expect(report.report.gaps.missing).toContainEqual({ text: "penguins", kind: "word", inDocuments: false });
    expect(await engine.report(report.id)).toEqual(report);
    expect((await engine.reports()).total).toBe(1);
  });

  it("show passages as they are in the documents, and none that have changed", async () => {
    const { engine, ask, ingest, sandbox } = await open();
    const answer = await ask(REFUSED);
    const shown = (await engine.report(answer.id)).report.passages;
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.every(({ preview }) => typeof preview === "string" && preview.length > 0 && preview.length <= 160)).toBe(true);
    const db = await openSqlite(`${sandbox.folder}/data/sourcebound.db`);
    const { report } = await db.selectFrom("reports").select("report").executeTakeFirstOrThrow();
    await db.destroy();
    expect(report).not.toContain("preview");
    for (const file of ["cards.md", "loans.md", "rooms/study.html"]) rmSync(`${sandbox.folder}/documents/${file}`);
    writeFileSync(`${sandbox.folder}/documents/fines.txt`, "Fines were abolished.\n");
    await ingest();
    expect((await engine.report(answer.id)).report.passages.map(({ preview }) => preview)).toEqual(shown.map(() => null));
  });

  it("reveal nothing of documents that the asker may not read", async () => {
    const { engine, ask, ingest, sandbox } = await open();
    writeFiles(sandbox.folder, { "secret/merger.md": "# Penguins\n\nPenguins of the zoo need a blue library card.\n" });
    await ingest("secret", { access: "staff" });
    const { report } = await engine.report((await ask(REFUSED)).id);
    expect(report.gaps.missing).toContainEqual({ text: "penguins", kind: "word", inDocuments: false });
    expect(JSON.stringify(report)).not.toContain("blue");
  });

  it("never fail the answer: a failure to store one is reported, and the question is kept", async () => {
    const warnings: string[] = [];
    const { ask, sandbox, engine, events } = await open({ warn: (message) => warnings.push(message) });
    const db = await openSqlite(`${sandbox.folder}/data/sourcebound.db`);
    await sql`drop table reports`.execute(db);
    await db.destroy();
    const answer = await ask(REFUSED);
    expect(answer.refusal).not.toBeNull();
    expect(warnings.join()).toContain("diagnostic report could not be saved");
    expect((await engine.store.interactions.list("library", 5)).map(({ id }) => id)).toEqual([answer.id]);
    const seen = await events(REFUSED);
    expect(seen).toContainEqual(expect.objectContaining({ type: "notice", code: "report_failed" }));
    expect(seen.find(({ type }) => type === "remember-end")).toMatchObject({ facts: { report: null } });
  });

  it("can be disabled, and expire", async () => {
    const off = await open({ settings: { "reports.enabled": false } });
    expect(await reportOf(off, REFUSED)).toBeNull();
    expect((await off.engine.reports()).total).toBe(0);
    let now = Date.parse("2026-01-01T00:00:00Z");
    const { ask, engine } = await open({ now: () => new Date(now), settings: { "reports.days": 2 } });
    const answer = await ask(REFUSED);
    now += 2 * 86_400_000;
    expect((await engine.reports({ since: new Date(0) })).total).toBe(1);
    expect((await engine.reports({ since: new Date(now) })).total).toBe(0);
    now += 1000;
    expect((await engine.reports({ since: new Date(0) })).total).toBe(0);
    await expect(engine.report(answer.id)).rejects.toMatchObject({ code: "unknown_report" });
  });

  it.each([
    [0.47, ["low_confidence"], true],
    [0.499, ["low_confidence"], true],
    [0.501, null, false],
  ])("accompany the warning of seven-layer: best cosine %d", async (cosine, causes, prefix) => {
    const vectorOf = (text: string) => (text === CARD ? [cosine, Math.sqrt(1 - cosine * cosine)] : [1, 0]);
    const encoder = { ...fakeEncoder({ dimensions: 2, vectorOf }), model: "text-embedding-3-small" };
    const { engine, events } = await open({ encoder });
    const seen = await events(CARD, { profile: "seven-layer" });
    expect(seen.some(({ type, ...rest }) => type === "warning" && JSON.stringify(rest).includes("low_confidence"))).toBe(prefix);
    const { reports } = await engine.reports();
    expect(reports.map(({ report }) => report.causes)).toEqual(causes === null ? [] : [causes]);
    expect(seen.some((event) => event.type === "notice" && event.message.includes("layer 7"))).toBe(false);
    if (causes === null) return;
    expect(reports[0]?.report).toMatchObject({ reportBelow: 0.5, query: { type: "how-much", topics: ["cards"] } });
    expect(reports[0]?.report.confidence).toBeCloseTo(cosine, 5);
    expect(reports[0]?.report.passages.length).toBeGreaterThan(0);
  });

  it("use the same share of cosines under seven-layer with another encoder", async () => {
    const { engine, ask } = await open();
    const answer = await ask("quantum xylophone", { profile: "seven-layer" });
    const { reportBelow } = (await engine.report(answer.id)).report;
    const carried = scaleFor("text-embedding-3-small", SHARED_PARTS.embedded(), loadCalibrations()).threshold(0.5);
    expect(reportBelow).toBeCloseTo(carried, 9);
    expect(reportBelow).not.toBe(0.5);
  });
});
