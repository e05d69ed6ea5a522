import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AskOptions } from "../src/engine/engine.ts";
import { type LibraryOptions, openInTest } from "./support/engine.ts";
import { CARD, UNANSWERABLE, writeFiles } from "./support/library.ts";

const FINES = "What do overdue books cost?";
const CORRECTION = "A library card costs 5 dollars per year [1]. Children under 12 pay nothing [1].\n\n[1]: cards.md\n";

async function open(options: LibraryOptions = {}) {
  const library = await openInTest(options);
  const { engine, ask } = library;
  const idOf = async (question: string, asked?: AskOptions) => (await ask(question, asked)).id;
  const change = async (files: Readonly<Record<string, string>>) => {
    writeFiles(join(library.sandbox.folder, "documents"), files);
    await library.ingest();
  };
  const statusOf = async (id: string) => (await engine.memory.review.show(id)).reviewStatus;
  return { ...library, review: engine.memory.review, idOf, change, statusOf };
}

describe("the queue", () => {
  it("lists a question once, and frequent questions first", async () => {
    const { ask, review } = await open();
    await ask(UNANSWERABLE);
    for (const question of ["Which vaccines does the lab demand for geese?", "which vaccines does the lab demand for GEESE"])
      await ask(question);
    await ask("Which vaccines does the lab demand for geese?", { sessionId: "other" });
    const queue = await review.queue();
    expect(queue.map(({ question, asked, waiting }) => [question, asked, waiting])).toEqual([
      ["Which vaccines does the lab demand for geese?", 3, 3],
      [UNANSWERABLE, 1, 1],
    ]);
  });

  it("lists answers with negative feedback first and those with positive feedback last", async () => {
    const { engine, idOf, review } = await open();
    const [card, fines, zoo] = [await idOf(CARD), await idOf(FINES), await idOf(UNANSWERABLE)];
    await engine.feedback({ id: fines, verdict: "down", reason: "Mail me: joe@example.org" });
    await engine.feedback({ id: card, verdict: "up" });
    const queue = await review.queue();
    expect(queue[0]).toMatchObject({ id: fines, thumbs: "down" });
    expect(queue[0]?.why).toContain("thumbs down");
    expect(queue.map(({ id }) => id)).toEqual([fines, zoo, card]);
    expect(queue.map(({ reported }) => reported)).toEqual([false, true, false]);
    const { report } = await review.show(zoo);
    expect(await engine.report(report ?? "")).toMatchObject({ interactionId: zoo });
    expect((await review.show(fines)).feedback).toMatchObject({ verdict: "down", reason: "Mail me: [email]" });
  });

  it("drops an approved answer, also when it is given again", async () => {
    const { ask, idOf, review, statusOf } = await open();
    const id = await idOf(CARD);
    await review.approve(id, "Ann");
    expect(await review.queue()).toEqual([]);
    const again = await ask(CARD);
    expect(again.cacheMode).toBe("exact");
    expect(await statusOf(again.id)).toBe("approved");
    expect(await review.queue()).toEqual([]);
  });

  it("keeps a flagged answer, which is removed from the cache", async () => {
    const { ask, engine, idOf, review, statusOf } = await open();
    const id = await idOf(CARD);
    expect(await engine.store.cache.count()).toBe(1);
    await review.flag(id, "Ann");
    expect(await engine.store.cache.count()).toBe(0);
    const again = await ask(CARD);
    expect([again.cacheMode, await statusOf(again.id)]).toEqual(["miss", "flagged"]);
    expect(await engine.store.cache.count()).toBe(0);
    expect((await review.queue())[0]).toMatchObject({ asked: 2, reviewStatus: "flagged" });
  });

  it.each([
    ["changes", { "cards.md": "A library card costs **6 dollars** per year.\n" }],
    ["changes hands", { "cards.md": "---\naccess: staff\n---\nA library card costs **5 dollars** per year.\n" }],
  ])("demotes an approved answer when its document %s", async (_what, files) => {
    const { idOf, review, change, statusOf } = await open();
    const [id, other] = [await idOf(CARD), await idOf(FINES)];
    await review.approve(id, "Ann");
    await review.approve(other, "Ann");
    await change(files);
    expect([await statusOf(id), await statusOf(other)]).toEqual(["unreviewed", "approved"]);
    expect((await review.queue()).map(({ id, demoted, why }) => [id, demoted, why.includes("a source changed")])).toEqual([
      [id, true, true],
    ]);
    const { rows } = await review.history({ id });
    expect(rows.map(({ actor, action }) => [actor, action])).toEqual([
      ["sourcebound", "demote"],
      ["Ann", "approve"],
    ]);
  });

  it("reports unknown answers, a missing actor, and answers that were not stored", async () => {
    const { idOf, review } = await open();
    for (const act of [review.show, (id: string) => review.approve(id, "Ann"), (id: string) => review.flag(id, "Ann")]) {
      await expect(act("no-such")).rejects.toMatchObject({ code: "unknown_interaction" });
    }
    const id = await idOf(CARD);
    for (const by of ["", "  ", "x".repeat(101), "a\u0000b"])
      await expect(review.flag(id, by)).rejects.toMatchObject({ code: "review_actor" });
    const hidden = await idOf(CARD, { privacy: "ephemeral" });
    await expect(review.approve(hidden, "Ann")).rejects.toMatchObject({ code: "review_no_text" });
    await expect(review.correct(hidden, CORRECTION, "Ann")).rejects.toMatchObject({ code: "review_no_text" });
  });
});

describe("a correction", () => {
  it("is served first, bound to its quotes, and only in the same scope", async () => {
    const { ask, idOf, review } = await open();
    const id = await idOf(CARD);
    await review.correct(id, CORRECTION, "Ann");
    const answer = await ask("how much does a LIBRARY card cost?!");
    expect(answer).toMatchObject({ cacheMode: "curated", model: "reviewer", status: "ok", confidence: null });
    expect(answer.sentences.map(({ text }) => text)).toEqual([
      "A library card costs 5 dollars per year.",
      "Children under 12 pay nothing.",
    ]);
    expect(answer.citations.length).toBeGreaterThan(0);
    expect(answer.id).not.toBe(id);
    const others: AskOptions[] = [{ tenant: "alice" }, { detail: "more" }, { filters: { document: "cards.md" } }];
    for (const options of others) expect((await ask(CARD, options)).cacheMode, JSON.stringify(options)).not.toBe("curated");
    expect(await review.queue()).not.toContainEqual(expect.objectContaining({ question: "how much does a LIBRARY card cost?!" }));
  });

  it("replaces a refusal", async () => {
    const { ask, idOf, review } = await open();
    const question = "What about twins in a pram?";
    const refused = await ask(question);
    expect(refused.status).toBe("insufficient_context");
    await review.correct(refused.id, "Children under 12 pay nothing [1].\n[1]: Library cards", "Ann");
    expect(await ask(question)).toMatchObject({ status: "ok", cacheMode: "curated" });
    expect(await idOf(question)).not.toBe(refused.id);
  });

  it.each([
    ["no citation", "A library card costs 5 dollars per year.", "cites nothing"],
    ["a number that nothing has", "A library card costs 5 dollars per year [7].", "[7]"],
    ["another value", "A library card costs 50 dollars per year [1].\n[1]: cards.md", "1. "],
    ["what the source does not say", "The library was founded by monks in a castle [1].\n[1]: cards.md", "1. "],
    ["another document", "A library card costs 5 dollars per year [1].\n[1]: fines.txt", "1. "],
    ["one good sentence and one without", "Children under 12 pay nothing [1]. Dogs may stay overnight.\n[1]: cards.md", "2. "],
    ["the opposite", "Children under 12 do not pay nothing [1].\n[1]: cards.md", "1. "],
    ["personal data", "Call Joe at 555-123-4567, a library card costs 5 dollars per year [1].\n[1]: cards.md", "1. "],
  ])("is rejected with %s, and nothing is stored", async (_what, text, told) => {
    const { ask, idOf, review } = await open();
    const id = await idOf(CARD);
    await expect(review.correct(id, text, "Ann")).rejects.toMatchObject({ code: "answer_unbound", message: expect.stringContaining(told) });
    expect((await ask(CARD)).cacheMode).toBe("exact");
    expect((await review.show(id)).curated).toBeNull();
    expect((await review.history()).rows).toEqual([]);
  });

  it.each([
    ["nothing", " \n", "answer_empty"],
    ["only names of documents", "[1]: cards.md", "answer_empty"],
    ["a document that does not exist", "A card costs 5 dollars [1].\n[1]: card.md", "unknown_document"],
    ["too many sentences", "Children under 12 pay nothing [1]. ".repeat(41), "answer_too_long"],
    ["too much text", "x".repeat(100_001), "answer_too_long"],
  ])("is rejected when it is %s", async (_what, text, code) => {
    const { idOf, review } = await open();
    await expect(review.correct(await idOf(CARD), text, "Ann")).rejects.toMatchObject({ code });
  });

  it("may not cite documents that the asker may not see", async () => {
    const { idOf, review, change } = await open();
    await change({ "staff.md": "---\naccess: staff\n---\nThe safe opens with code 4711.\n" });
    const id = await idOf(CARD);
    await expect(review.correct(id, "The safe opens with code 4711 [1].\n[1]: staff.md", "Ann")).rejects.toMatchObject({
      code: "unknown_document",
    });
  });

  it("may not cite a source that shares only a word with it", async () => {
    const { idOf, review, change } = await open();
    await change({
      "large.md": "# Large items\n\n| Item | Fee |\n|---|---|\n| Surfboard | £20 |\n| Skis | £10 |\n",
      "bicycles.md": "A bicycle needs a bicycle ticket, which costs £9.\n",
    });
    const id = await idOf("What is the fee for a surfboard?");
    const names = "\n[1]: large.md\n[2]: bicycles.md";
    const refused = (text: string) => expect(review.correct(id, `${text}${names}`, "Ann")).rejects;
    await refused("A surfboard costs £20 [1][2].").toMatchObject({ code: "answer_unbound" });
    await refused("The fee for a surfboard is £20 [1][2].").toMatchObject({ message: expect.stringContaining("[2] does not support it") });
    const { citations } = await review.correct(id, `The fee for a surfboard is £20 [1].${names}`, "Ann");
    expect(citations.map(({ quote }) => quote)).toEqual(["Surfboard | £20"]);
  });

  it("keeps the filters of the question, and is served only with them", async () => {
    const { engine, ask, idOf, review } = await open();
    const [fines, cards] = [{ filters: { document: "fines.txt" } }, { filters: { document: "cards.md" } }];
    const outside = await idOf(CARD, fines);
    expect((await review.queue()).find(({ id }) => id === outside)?.within).toMatch(/^"/);
    await expect(review.correct(outside, CORRECTION, "Ann")).rejects.toMatchObject({
      code: "answer_unbound",
      message: expect.stringMatching(/1\. .* is outside "[^"]+", to which the question was limited/),
    });
    const { documentId, end } = (await engine.answer(CARD, cards)).citations[0] as { documentId: string; end: number };
    const selected = { selection: { documentId, start: 0, end } };
    await expect(review.correct(await idOf(CARD, selected), CORRECTION, "Ann")).rejects.toMatchObject({ code: "answer_unbound" });
    const inside = await idOf(CARD, cards);
    const answer = await review.correct(inside, CORRECTION, "Ann");
    expect(await ask(CARD, cards)).toMatchObject({ cacheMode: "curated" });
    for (const options of [{}, fines, selected]) expect((await ask(CARD, options)).cacheMode).not.toBe("curated");
    expect([(await review.show(inside)).within, (await review.show(await idOf(CARD))).within]).toEqual([
      expect.stringContaining("ards"),
      null,
    ]);
    // A correction that was stored before filters were checked.
    const versions = new Map(answer.citations.map((one) => [one.documentId, one.documentVersion]));
    await engine.store.review.correct({ id: outside, by: "Ann", versions, curatedId: "old", answer: JSON.stringify(answer) });
    expect((await ask(CARD, fines)).cacheMode).not.toBe("curated");
    expect((await review.show(outside)).curated).toMatchObject({ status: "demoted" });
  });

  it("is rejected for an answer that is never cached", async () => {
    const { idOf, review } = await open();
    const id = await idOf("My mail is joe@example.org: how much does a library card cost?");
    await expect(review.correct(id, CORRECTION, "Ann")).rejects.toMatchObject({ code: "review_not_repeatable" });
  });

  it.each([
    ["changes", { "cards.md": "# Library cards\n\nA library card costs **5 dollars** per year. Children under 12 pay nothing. New.\n" }],
    ["changes hands", { "cards.md": "---\naccess: staff\n---\nA library card costs **5 dollars** per year.\n" }],
    ["is deleted", null],
  ])("is demoted and queued again when its document %s", async (_what, files) => {
    const { sandbox, ask, ingest, idOf, review, change } = await open();
    const id = await idOf(CARD);
    await review.correct(id, CORRECTION, "Ann");
    expect((await ask(CARD)).cacheMode).toBe("curated");
    if (files === null) {
      rmSync(join(sandbox.folder, "documents", "cards.md"));
      await ingest();
    } else await change(files);
    expect((await ask(CARD)).cacheMode).not.toBe("curated");
    expect((await review.show(id)).curated).toMatchObject({ status: "demoted", by: "Ann" });
    expect((await review.queue())[0]).toMatchObject({ demoted: true });
    expect((await review.history({ id })).rows.map(({ action }) => action)).toEqual(["demote", "correct"]);
  });

  it("is demoted on a hit that fails the current checks", async () => {
    const { engine, ask, idOf, review } = await open();
    const id = await idOf(CARD);
    const { curatedKey } = (await engine.store.review.get(id)) as { curatedKey: string };
    const answer = await review.correct(id, CORRECTION, "Ann");
    const forged = { ...answer, sentences: answer.sentences.map((one) => ({ ...one, text: one.text.replace("5 dollars", "9 dollars") })) };
    const versions = new Map(answer.citations.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
    await engine.store.review.correct({ id, by: "Mallory", versions, curatedId: "forged", answer: JSON.stringify(forged) });
    const served = await ask(CARD);
    expect(served.cacheMode).not.toBe("curated");
    expect(JSON.stringify(served.sentences)).not.toContain("9 dollars");
    expect(await engine.store.review.curated(curatedKey)).toBeNull();
  });

  it("is replaced by the next one, and withdrawn by a flag", async () => {
    const { ask, idOf, review } = await open();
    const id = await idOf(CARD);
    await review.correct(id, CORRECTION, "Ann");
    await review.correct(id, "Children under 12 pay nothing [1].\n[1]: cards.md", "Ben");
    const served = await ask(CARD);
    expect(served.sentences).toHaveLength(1);
    await review.flag(served.id, "Cid");
    expect((await ask(CARD)).cacheMode).not.toBe("curated");
  });
});

describe("feedback", () => {
  it("keeps the last verdict for an answer, and accepts it only from callers with access", async () => {
    const { engine, idOf, review } = await open();
    const id = await idOf(CARD, { sessionId: "s1" });
    for (let n = 0; n < 3; n++) await engine.feedback({ id, verdict: "down", sessionId: "s1" });
    await engine.feedback({ id, verdict: "up" });
    expect((await review.show(id)).feedback).toMatchObject({ verdict: "up", reason: null });
    expect((await review.history()).rows.filter(({ action }) => action === "feedback")).toHaveLength(2);
    await expect(engine.feedback({ id, verdict: "down", sessionId: "s2" })).rejects.toMatchObject({ code: "unknown_answer" });
    await expect(engine.feedback({ id, verdict: "down" }, { tenant: "bob" })).rejects.toMatchObject({ code: "unknown_answer" });
    const wider = { ...engine.scope(), access: ["public", "staff"] };
    await expect(engine.memory.feedback({ id, verdict: "down" }, wider)).rejects.toMatchObject({ code: "unknown_answer" });
    await expect(engine.feedback({ id: "x", verdict: "down" })).rejects.toMatchObject({ code: "unknown_answer" });
    await expect(engine.feedback({ id, verdict: "down", reason: "x".repeat(501) })).rejects.toMatchObject({ code: "feedback_too_long" });
    expect((await review.show(id)).feedback).toMatchObject({ verdict: "up" });
  });

  it("queues an approved or corrected answer again, until it is reviewed", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const { engine, ask, idOf, review } = await open({ now: () => new Date(now++) });
    const fines = await idOf(FINES);
    await review.approve(fines, "Ann");
    await engine.feedback({ id: fines, verdict: "down" });
    await review.correct(await idOf(CARD), CORRECTION, "Ann");
    const served = await ask(CARD);
    expect(served.cacheMode).toBe("curated");
    expect((await review.queue()).map(({ id }) => id)).toEqual([fines]);
    await engine.feedback({ id: served.id, verdict: "down" });
    expect(new Set((await review.queue()).map(({ id }) => id))).toEqual(new Set([fines, served.id]));
    await review.approve(fines, "Ann");
    await review.approve(served.id, "Ann");
    expect(await review.queue()).toEqual([]);
    expect((await ask(CARD)).cacheMode).toBe("curated");
  });

  it("cannot fill the audit log", async () => {
    const { engine, idOf, review } = await open();
    const id = await idOf(CARD);
    let last: unknown;
    for (let n = 0; n < 30; n++) last = await engine.feedback({ id, verdict: n % 2 === 0 ? "up" : "down" }).catch((error) => error);
    expect(last).toMatchObject({ code: "feedback_too_often" });
    expect((await review.history({ limit: 100 })).rows.length).toBeLessThan(12);
  });
});
