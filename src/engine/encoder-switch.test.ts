import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { engineInTest } from "../../test/support/engine.ts";
import { folderOfTest, writeIn } from "../../test/support/folders.ts";
import type { Encoder } from "../models/encoder.ts";
import { type Config, loadConfig } from "../shared/config.ts";
import { ModelError, StoreError } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import type { Engine, EngineParts } from "./engine.ts";

const here = folderOfTest();
const topics = [
  "tinnitus rating percent",
  "pension monthly payment",
  "burial flag family",
  "education tuition school",
  "home loan guaranty",
];
let config: Config;
let pages = "";
beforeEach(() => {
  pages = join(here.folder, "pages");
  for (const [i, topic] of topics.entries()) writeIn(pages, `${i}.md`, `# Page ${i}\n\nThis page is about ${topic}.\n`);
  config = loadConfig({ cwd: here.folder, env: {} });
});

const start = (encoder: Encoder, parts: EngineParts = {}) => engineInTest(config, { encoder, ...parts });

const ingest = (engine: Engine) => Array.fromAsync(engine.ingest(pages));
const ask = (engine: Engine, question = "What is the tinnitus rating?") => Array.fromAsync(engine.ask(question));

const factsOf = (events: AnswerEvent[]) => {
  const end = events.find(({ type }) => type === "retrieve-end");
  return end !== undefined && "facts" in end ? end.facts : {};
};
const noticesOf = (events: AnswerEvent[]) => events.flatMap((event) => (event.type === "notice" ? [event.code] : []));

/** An encoder whose document embeddings wait for `release`. */
function gated(encoder: Encoder): { encoder: Encoder; release: () => void } {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  return {
    release,
    encoder: {
      ...encoder,
      async embed(texts, options) {
        await Promise.race([
          gate,
          new Promise((_, reject) => options?.signal?.addEventListener("abort", () => reject(options.signal?.reason))),
        ]);
        return encoder.embed(texts, options);
      },
    },
  };
}

const old = () => fakeEncoder({ id: "old", dimensions: 64 });
const other = () => fakeEncoder({ id: "new", dimensions: 48 });

/** Ingests with the old encoder and begins a switch, which waits for `release`. */
async function startSwitch() {
  const { encoder, release } = gated(other());
  const engine = await start(old(), { openEncoder: () => encoder });
  await ingest(engine);
  return { engine, release, switching: engine.switchEncoder("embedded") };
}

describe("changing the encoder", () => {
  it("serves each question from the old or the new index, never from both", async () => {
    const { engine, switching, release } = await startSwitch();
    const during = await Promise.all(Array.from({ length: 8 }, (_, i) => ask(engine, `${topics[i % topics.length]} ${i}?`)));
    for (const events of during) {
      expect(factsOf(events)).toMatchObject({ encoder: "old", ranking: "hybrid" });
      expect(noticesOf(events)).toContain("encoder_switch");
    }
    release();
    const racing = await Promise.all([
      switching,
      ...Array.from({ length: 20 }, (_, i) => ask(engine, `${topics[i % topics.length]} again ${i}?`)),
    ]);
    for (const events of racing.slice(1) as AnswerEvent[][]) expect(["old", "new"]).toContain(factsOf(events).encoder);
    const after = await ask(engine);
    expect(factsOf(after)).toMatchObject({ encoder: "new", ranking: "hybrid" });
    expect(noticesOf(after)).toEqual(["sufficiency"]);
  });

  it("indexes documents that change during the switch", async () => {
    const { engine, switching, release } = await startSwitch();
    await ask(engine);
    rmSync(join(pages, "0.md"));
    writeFileSync(join(pages, "new.md"), "# Vision\n\nThis page is about eyeglasses vision care.\n");
    const ingesting = ingest(engine);
    release();
    await Promise.all([switching, ingesting]);
    expect(factsOf(await ask(engine, "eyeglasses vision care"))).toMatchObject({ encoder: "new" });
    const corpus = engine.corpus("documents");
    const vector = await corpus.embedQuestion("eyeglasses vision care");
    expect(vector?.values).toHaveLength(48);
    const search = (text: string) =>
      engine.answer(text, { profile: "validator" }).then(({ evidence }) => evidence.map(({ passage }) => passage.document.path));
    expect(await search("eyeglasses vision care")).toContain("new.md");
    expect(await search("tinnitus rating percent")).not.toContain("0.md");
  });

  it("happens with an ingest after the configuration has changed, until which the old encoder serves", async () => {
    await ingest(await start(old()));
    const slow = gated(other());
    const engine = await start(slow.encoder, { openEncoder: old });
    const before = await ask(engine, "pension payment?");
    expect(factsOf(before)).toMatchObject({ encoder: "old", ranking: "hybrid" });
    slow.release();
    await ingest(engine);
    expect(factsOf(await ask(engine)).encoder).toBe("new");
  });

  it("is followed by another process, which embeds nothing again", async () => {
    const recorded = other();
    const first = await start(old(), { openEncoder: () => recorded });
    const second = await start(old(), { openEncoder: other });
    await ingest(first);
    expect(factsOf(await ask(first)).encoder).toBe("old");
    await second.switchEncoder("embedded");
    expect(factsOf(await ask(first, "Who pays a pension?")).encoder).toBe("new");
    expect(recorded.calls).toEqual([["Who pays a pension?"]]);
  });

  it("keeps the choice until the configuration changes", async () => {
    const engine = await start(old(), { openEncoder: other });
    await ingest(engine);
    expect(await engine.switchEncoder("embedded")).toEqual({ domain: "documents", encoder: "new" });
    const again = await start(old(), { openEncoder: other });
    expect(factsOf(await ask(again)).encoder).toBe("new");
  });

  it("keeps serving with the old encoder when the new one fails, and resumes later", async () => {
    let down = true;
    const failing = fakeEncoder({ id: "new", dimensions: 48, failure: () => (down ? encoderDown() : null) });
    const engine = await start(old(), { openEncoder: () => failing });
    await ingest(engine);
    await expect(engine.switchEncoder("embedded")).rejects.toBeInstanceOf(ModelError);
    const events = await ask(engine);
    expect(factsOf(events).encoder).toBe("old");
    expect(noticesOf(events)).toEqual(["encoder_switch_failed", "sufficiency"]);
    down = false;
    await engine.switchEncoder("embedded");
    expect(factsOf(await ask(engine)).encoder).toBe("new");
  });

  it("refuses a second switch while one is running", async () => {
    const { engine, switching, release } = await startSwitch();
    await ask(engine);
    await expect(engine.switchEncoder("embedded")).rejects.toMatchObject({ code: "switch_running" });
    release();
    await switching;
  });
});

describe("an encoder that fails", () => {
  it("during an ingest: every document is found by words, and the next ingest completes the vectors", async () => {
    let down = true;
    const encoder = fakeEncoder({ failure: () => (down ? encoderDown() : null) });
    const engine = await start(encoder);
    const events = await ingest(engine);
    expect(events.find(({ type }) => type === "embed-failed")).toMatchObject({ code: "encoder_failed" });
    expect(events.at(-1)).toMatchObject({ type: "ingest-end", counts: { added: 5, failed: 0 } });
    const asked = await ask(engine);
    expect(factsOf(asked)).toMatchObject({ ranking: "bm25", encoder: null });
    expect(noticesOf(asked)).toEqual(["dense_failed", "sufficiency"]);
    down = false;
    expect((await ingest(engine)).some(({ type }) => type === "embed-failed")).toBe(false);
    expect(factsOf(await ask(engine))).toMatchObject({ ranking: "hybrid" });
  });

  it("to store vectors: the warning names the data folder, not the encoder", async () => {
    const full = new StoreError("store_unwritable", "/data/sourcebound.db could not be written (database or disk is full).");
    let isFull = false;
    const engine = await start(fakeEncoder({ failure: () => (isFull ? full : null) }));
    await ingest(engine);
    isFull = true;
    const last = (await ask(engine, "What is the pension payment?")).at(-1);
    const told = last?.type === "answer" ? last.answer.warnings.find(({ code }) => code === "dense_failed")?.message : undefined;
    expect(told).toContain("could not be read from or written to the data folder");
    expect(told).not.toMatch(/encoder|sourcebound\.db/);
  });
});
