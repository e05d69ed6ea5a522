import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { engineInTest, type Library, openInTest } from "./support/engine.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, UNANSWERABLE, writeFiles } from "./support/library.ts";
import { part, rounds } from "./support/trials.ts";

/** Each replay builds an index, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });

const edit = async ({ sandbox, ingest }: Library, path: string, from: string, to: string) => {
  writeFiles(join(sandbox.folder, "documents"), { [path]: LIBRARY_DOCUMENTS[path]?.replace(from, to) ?? "" });
  await ingest();
};

describe("replay", () => {
  it("reproduces answers, refusals, follow-ups and filtered answers byte for byte, also after documents changed and in a new process", async () => {
    const library = await openInTest();
    const ids: string[] = [];
    const ask = async (...args: Parameters<Library["ask"]>) => ids.push((await library.ask(...args)).id);
    for (const profile of rounds({ all: ["sourcebound", "seven-layer", "spark", "validator"], usually: ["sourcebound", "spark"] })) {
      for (const { question } of LIBRARY_QUESTIONS) await ask(question, { profile }).catch(() => undefined);
      await ask(UNANSWERABLE, { profile }).catch(() => undefined);
    }
    await ask("How long may films be kept?", { filters: { document: "loans.md" } });
    await ask("How much does a library card cost?", { sessionId: "s" });
    await ask("And how much is it per year?", { sessionId: "s" });
    await ask("Which forms does the card need?", { tenant: "alice" });
    for (const id of part(ids.slice(0, -1), 6)) expect(await library.engine.replay(id)).toMatchObject({ identical: true, differs: [] });
    await edit(library, "cards.md", "5 dollars", "9 dollars");
    writeFiles(join(library.sandbox.folder, "documents"), { "new.md": "# New\n\nA library card is green.\n" });
    await library.ingest();
    for (const id of part(ids.slice(0, 6), 2)) expect(await library.engine.replay(id)).toMatchObject({ identical: true });
    const second = await engineInTest(library.engine.config);
    expect(await second.replay(ids[0] as string)).toMatchObject({ identical: true });
    expect(await second.replay(ids.at(-1) as string, { tenant: "alice" })).toMatchObject({ identical: true });
  });

  it("reproduces a model's output, but nothing for another prompt", async () => {
    const model = fakeChatModel([["A library card costs 5 dollars per year [1]."]]);
    const library = await openInTest({ models: { small: model, large: model } });
    const { id, model: writer } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const calls = model.calls.length;
    expect(await library.engine.replay(id)).toMatchObject({ identical: true });
    expect(model.calls).toHaveLength(calls);
    expect(writer).toBe(model.id);
  });

  it("names exactly the edit that changes an answer", async () => {
    const library = await openInTest();
    const { id, status } = await library.ask(LIBRARY_QUESTIONS[0].question);
    expect(status).toBe("ok");
    expect(await library.engine.replayNow(id)).toMatchObject({ identical: true, changed: false, causes: [] });
    await edit(library, "fines.txt", "20 cents", "25 cents");
    expect(await library.engine.replayNow(id)).toMatchObject({ identical: true, changed: false });
    await edit(library, "cards.md", "5 dollars", "9 dollars");
    const now = await library.engine.replayNow(id);
    expect(now).toMatchObject({ identical: true, changed: true, causes: [{ type: "edit", path: "cards.md", change: "changed" }] });
    expect(now.now.sentences.join(" ")).toContain("9 dollars");
  });

  it("names the setting that changes an answer", async () => {
    const library = await openInTest();
    const { id } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const strict = await engineInTest({ ...library.engine.config, answer_from: 0.999 });
    expect((await strict.answer(LIBRARY_QUESTIONS[0].question)).cacheMode).toBe("miss");
    const now = await strict.replayNow(id);
    if (now.changed)
      expect(now.causes).toEqual([
        expect.objectContaining({
          type: "settings",
          settings: expect.arrayContaining([expect.objectContaining({ setting: expect.stringContaining("threshold") })]),
        }),
      ]);
    expect(now.identical).toBe(true);
  });

  it("gives the reason when it is impossible", async () => {
    const library = await openInTest();
    const { id } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const { id: ephemeral } = await library.ask(LIBRARY_QUESTIONS[1].question, { privacy: "ephemeral" });
    await expect(library.engine.replay(ephemeral)).rejects.toMatchObject({ code: "unknown_answer" });
    for (const file of await library.engine.files()) if (file.path === "fines.txt") await library.engine.deleteFile(file);
    await expect(library.engine.replay(id)).rejects.toMatchObject({
      code: "replay_impossible",
      message: expect.stringContaining("1 of the 4 documents that were searched"),
    });
  });
});
