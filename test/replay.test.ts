import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEngine } from "../src/engine/engine.ts";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { type Library, openLibrary } from "./support/engine.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, UNANSWERABLE, writeFiles } from "./support/library.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";
import { part, rounds } from "./support/trials.ts";

/** Each replay builds an index, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });

let library: Library;
afterEach(() => library.close());

const edited = (path: string, from: string, to: string) => ({ [path]: LIBRARY_DOCUMENTS[path]?.replace(from, to) ?? "" });
const edit = async (path: string, from: string, to: string) => {
  const [[name, text]] = Object.entries(edited(path, from, to)) as [[string, string]];
  writeFiles(join(library.sandbox.folder, "documents"), { [name]: text });
  await library.ingest();
};

describe("replay", () => {
  it("makes answers, refusals, follow-ups and filtered answers again byte for byte, also after documents have changed and in a new process", async () => {
    library = await openLibrary();
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
    await edit("cards.md", "5 dollars", "9 dollars");
    writeFiles(join(library.sandbox.folder, "documents"), { "new.md": "# New\n\nA library card is green.\n" });
    await library.ingest();
    for (const id of part(ids.slice(0, 6), 2)) expect(await library.engine.replay(id)).toMatchObject({ identical: true });
    const second = await createEngine(library.engine.config, SHARED_PARTS);
    try {
      expect(await second.replay(ids[0] as string)).toMatchObject({ identical: true });
      expect(await second.replay(ids.at(-1) as string, { tenant: "alice" })).toMatchObject({ identical: true });
    } finally {
      await second.close();
    }
  });

  it("says again what a model said, and nothing where its prompt is another one", async () => {
    const model = fakeChatModel([["A library card costs 5 dollars per year [1]."]]);
    library = await openLibrary({ models: { small: model, large: model } });
    const { id, model: writer } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const calls = model.calls.length;
    expect(await library.engine.replay(id)).toMatchObject({ identical: true });
    expect(model.calls).toHaveLength(calls);
    expect(writer).toBe(model.id);
  });

  it("names the edit that changes an answer, and no other", async () => {
    library = await openLibrary();
    const { id, status } = await library.ask(LIBRARY_QUESTIONS[0].question);
    expect(status).toBe("ok");
    expect(await library.engine.replayNow(id)).toMatchObject({ identical: true, changed: false, causes: [] });
    await edit("fines.txt", "20 cents", "25 cents");
    expect(await library.engine.replayNow(id)).toMatchObject({ identical: true, changed: false });
    await edit("cards.md", "5 dollars", "9 dollars");
    const now = await library.engine.replayNow(id);
    expect(now).toMatchObject({ identical: true, changed: true, causes: [{ type: "edit", path: "cards.md", change: "changed" }] });
    expect(now.now.sentences.join(" ")).toContain("9 dollars");
  });

  it("names the setting that changes an answer", async () => {
    library = await openLibrary();
    const { id } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const strict = await createEngine({ ...library.engine.config, answer_from: 0.999 }, SHARED_PARTS);
    try {
      const now = await strict.replayNow(id);
      if (now.changed)
        expect(now.causes).toEqual([
          expect.objectContaining({
            type: "settings",
            settings: expect.arrayContaining([expect.objectContaining({ setting: expect.stringContaining("threshold") })]),
          }),
        ]);
      expect(now.identical).toBe(true);
    } finally {
      await strict.close();
    }
  });

  it("says why it cannot", async () => {
    library = await openLibrary();
    const { id } = await library.ask(LIBRARY_QUESTIONS[0].question);
    const { id: ephemeral } = await library.ask(LIBRARY_QUESTIONS[1].question, { privacy: "ephemeral" });
    await expect(library.engine.replay(ephemeral)).rejects.toMatchObject({ code: "unknown_answer" });
    for (const file of await library.engine.files()) if (file.path === "fines.txt") await library.engine.deleteFile(file);
    await expect(library.engine.replay(id)).rejects.toMatchObject({
      code: "replay_impossible",
      message: expect.stringContaining("1 of the 4 searched documents"),
    });
  });
});
