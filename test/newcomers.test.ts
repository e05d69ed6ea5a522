import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkPack } from "../src/engine/packs/check-pack.ts";
import { MAX_FILE_BYTES } from "../src/ingest/limits.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { healthOf } from "../src/server/routes/service.ts";
import { loadConfig } from "../src/shared/config.ts";
import { answerToWire } from "../src/wire/index.ts";
import { engineInTest, openInTest } from "./support/engine.ts";
import { createSandbox, writeFiles } from "./support/library.ts";

/** Opens an engine on these documents without any settings. */
async function withoutSettings(documents: Readonly<Record<string, string>>) {
  const sandbox = createSandbox(documents);
  onTestFinished(() => sandbox.remove());
  const engine = await engineInTest(loadConfig({ cwd: sandbox.folder, env: {} }));
  await Array.fromAsync(engine.ingest(`${sandbox.folder}/documents`));
  return engine;
}

describe("user documents without settings", () => {
  it("get no address, hotline or title of another domain", async () => {
    const engine = await withoutSettings({
      "kiln.md": "# The kiln\n\nThe kiln is fired on Fridays at 1,200 degrees.\n",
      "glaze.md": "# Glazes\n\nA glaze dries for two days.\n",
    });
    const answer = await engine.answer("When is the kiln fired?");
    expect(answer.status).toBe("ok");
    expect(answer.citations.map(({ url }) => url)).toEqual(answer.citations.map(() => null));
    expect(await engine.health()).toMatchObject({ domain: "documents", title: "Glazes, The kiln", examples: [] });
    // The endpoint needs no key, so it must not reveal titles.
    expect(await healthOf(engine)).toMatchObject({ title: engine.domain().title, documents: 2 });
    expect(JSON.stringify(await healthOf(engine))).not.toMatch(/glaze|kiln/i);
    const inCrisis = await engine.answer("I want to kill myself");
    expect(JSON.stringify([answer, inCrisis]).toLowerCase()).not.toMatch(/veteran|va\.gov|838255/);
    expect(inCrisis.warnings[0]).toMatchObject({ code: "hotline", message: expect.stringContaining("findahelpline.com") });
  });
});

describe("the pack of docs/domain-yaml.md", () => {
  const [yaml = ""] = /^name: library\n[^`]+/m.exec(readFileSync(join(PACKAGE_ROOT, "docs", "domain-yaml.md"), "utf8")) ?? [];
  /** Returns the statuses of two questions that use other words than the documents. */
  const statuses = async (pack: string) => {
    const sandbox = createSandbox({
      "desk.md": "# Rules\n\nThe front counter opens at 9 in the morning.\n",
      "card.md": "# Rules\n\nA library card costs 5 dollars.\n",
    });
    onTestFinished(() => sandbox.remove());
    writeFiles(sandbox.folder, { "packs/library/domain.yaml": pack });
    const env = { SOURCEBOUND_DOMAINS_DIR: "packs", SOURCEBOUND_DOMAIN: "library", SOURCEBOUND_ANSWER_FROM: "0.6" };
    const engine = await engineInTest(loadConfig({ cwd: sandbox.folder, env }));
    await Array.fromAsync(engine.ingest(`${sandbox.folder}/documents`));
    const desk = await engine.answer("When does the desk open?");
    const card = await engine.answer("How much does a library pass cost?");
    const options = { domainsDir: join(sandbox.folder, "packs"), documents: join(sandbox.folder, "documents") };
    const report = await checkPack("library", { ...options, maxFileBytes: MAX_FILE_BYTES, signal: new AbortController().signal });
    return { asked: [desk.status, card.status], faults: report.findings.filter(({ level }) => level === "fault") };
  };

  it("is valid, and its synonyms answer questions that are refused without them", async () => {
    expect(yaml).toContain("synonyms:");
    expect(await statuses(yaml)).toEqual({ asked: ["ok", "ok"], faults: [] });
    const { asked } = await statuses(yaml.replace(/^synonyms:.*$/m, ""));
    expect(asked).toEqual(["insufficient_context", "insufficient_context"]);
  });
});

describe("files of unsupported formats", () => {
  it("are counted by the ingest and named in a refusal, until they are deleted", async () => {
    const library = await openInTest({ documents: {} });
    writeFiles(library.sandbox.folder, {
      "documents/rooms.md": "# Rooms\n\nA room has 12 seats.\n",
      "documents/leave-policy.xyz": "binary",
      "documents/plan.XYZ": "binary",
      "documents/notes": "text",
    });
    const end = (await library.ingest()).at(-1);
    expect(end).toMatchObject({ type: "ingest-end", unread: { ".xyz": 2 }, counts: { failed: 0, deleted: 0 } });
    const refused = await library.ask("How many days of parental leave are granted?");
    expect(refused.refusal?.searched.unreadable).toEqual(["leave-policy.xyz", "plan.XYZ"]);
    expect((await library.ingest()).at(-1)).toMatchObject({ counts: { deleted: 0, changed: 0, failed: 0 } });
    for (const name of ["leave-policy.xyz", "plan.XYZ", "notes"]) rmSync(`${library.sandbox.folder}/documents/${name}`);
    await library.ingest();
    expect((await library.ask("How many days of parental leave are granted?")).refusal?.searched.unreadableCount).toBe(0);
  });
});

describe("a message that is not a question about the documents", () => {
  it.each(["hi", "Hello there!", "thanks a lot", "What can you do?", "help"])("gets a short friendly reply: %s", async (message) => {
    const { refusal, sentences } = await (await openInTest()).ask(message);
    expect(sentences).toEqual([]);
    expect(refusal).toMatchObject({ reason: "small_talk", note: "", nearest: [], contacts: [] });
    expect(refusal?.message).toContain("Town library");
  });

  it.each(["What can I do when a card is lost?", "help with overdue books", "How good is the morning programme?"])(
    "is not treated as small talk when it asks something: %s",
    async (question) => expect((await (await openInTest()).ask(question)).refusal?.reason).not.toBe("small_talk"),
  );

  it.each([
    ["German", "Wie lange darf ich die Bücher behalten und was kostet das?"],
    ["French", "Combien de temps est-ce que je peux garder les livres que j'ai pris ?"],
    ["Spanish", "¿Cuánto tiempo puedo tener los libros que he sacado de la biblioteca?"],
    ["Cyrillic", "Сколько стоит читательский билет?"],
  ])("is refused with the name of its language: %s", async (language, question) => {
    const { refusal } = await (await openInTest()).ask(question);
    expect(refusal).toMatchObject({ reason: "language", message: expect.stringContaining(language) });
  });
});

describe("a message from a person in crisis", () => {
  it.each([
    "there is no point in going on",
    "he says he is done and has a gun",
    "I have a loaded gun next to me and nobody knows",
    "my kids would be better without me, I want it to be over tonight",
  ])("gets the hotline and nothing else, even without a listed phrase: %s", async (message) => {
    const engine = await withoutSettings({ "a.md": "# Survivors pension\n\nA survivors pension is paid to a spouse.\n" });
    const answer = await engine.answer(message);
    expect(answer.warnings[0]?.code).toBe("hotline");
    const wire = answerToWire(answer);
    expect(wire.refusal).toMatchObject({ reason: "crisis", nearest: [], contacts: [], note: "" });
    expect(JSON.stringify([wire.refusal?.message, wire.sentences, wire.see_also])).not.toMatch(/pension/i);
  });

  it("does not influence later questions of the conversation", async () => {
    const engine = await withoutSettings({ "a.md": "# Survivors pension\n\nA survivors pension is paid to a spouse.\n" });
    const ask = (question: string) => engine.answer(question, { sessionId: "a-conversation" });
    await ask("Who is paid a survivors pension?");
    const crisis = await ask("I have a loaded gun next to me and nobody knows");
    expect(crisis.refusal?.reason).toBe("crisis");
    const later = JSON.stringify(await Array.fromAsync(engine.ask("and how long?", { sessionId: "a-conversation" })));
    expect(later).toMatch(/Interpreted as: and how long\? \([^)]*pension/i);
    expect(later).not.toMatch(/gun/);
  });
});
