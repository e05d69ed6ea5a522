// @module-tag all/postgres
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { StoreError } from "../src/shared/errors.ts";
import { addInteraction, sampleInteraction } from "../src/testing/store/fixtures.ts";
import type { Library } from "./support/engine.ts";
import { createKey } from "./support/keyed-app.ts";
import { CARD, writeFiles } from "./support/library.ts";
import { whyNoPostgres } from "./support/postgres.ts";
import { useReplicas } from "./support/replicas.ts";
import { rounds } from "./support/trials.ts";

/** Edits through one replica, each checked through the other. */
const EDITS = rounds({ usually: 10, all: 50 });
/** Milliseconds for which PostgreSQL is down. */
const OUTAGE_MS = rounds({ usually: 2_000, all: 10_000 });
/** Kills of PostgreSQL while both replicas write. */
const KILLS = rounds({ usually: 4, all: 200 });

describe.skipIf(whyNoPostgres !== null)("two replicas on one PostgreSQL", () => {
  const { server, open } = useReplicas();
  const replicas = async (settings?: Readonly<Record<string, unknown>>) => (await open(2, settings)) as [Library, Library];

  async function edit(library: Library, dollars: number): Promise<void> {
    writeFiles(library.sandbox.folder, { "documents/cards.md": `# Library cards\n\nA library card costs ${dollars} dollars per year.\n` });
    await library.ingest();
  }

  const priceOf = async (library: Library) => {
    const { sentences } = await library.ask(CARD);
    return Number(/(\d+) dollars/.exec(sentences.map(({ text }) => text).join(" "))?.[1]);
  };

  it(`show each of ${EDITS} edits at once in the answers of the other replica, whose index follows by itself`, async () => {
    const [first, second] = await replicas();
    expect(await priceOf(second)).toBe(5);
    const index = second.engine.corpus("library");
    for (let n = 0; n < EDITS; n++) {
      const dollars = 100 + n;
      const before = index.indexedRevision;
      const asked = n % 2 === 0;
      await edit(first, dollars);
      if (asked) expect(await priceOf(second)).toBe(dollars);
      else {
        await expect.poll(() => index.indexedRevision).not.toBe(before);
        expect(await priceOf(second)).toBe(dollars);
      }
    }
  });

  it("share sessions, cached answers, API keys and the proof key", async () => {
    const [first, second] = await replicas();
    const asked = await first.ask(CARD, { sessionId: "s" });
    const { engine } = second;
    expect((await engine.store.sessions.turns("s", engine.scope(), 5)).map(({ question }) => question)).toEqual([CARD]);
    const again = await second.ask(CARD);
    expect(again.cacheMode).toBe("exact");
    expect(again.sentences).toEqual(asked.sentences);
    expect(await engine.store.keys.find(await createKey(first, { name: "k" }))).toMatchObject({ name: "k" });
    expect(engine.proofKey()).toBe(first.engine.proofKey());
  });

  it(`report an outage of PostgreSQL for ${OUTAGE_MS / 1000} s, give no wrong answer, and recover without a restart`, async () => {
    const both = await replicas({ "cache.enabled": false });
    const seen = { right: 0, wrong: 0, errors: new Map<string, number>() };
    let ended = false;
    const load = both.flatMap((library) =>
      Array.from({ length: 3 }, async () => {
        while (!ended) {
          try {
            seen[(await priceOf(library)) === 5 ? "right" : "wrong"]++;
          } catch (error) {
            const code = error instanceof StoreError ? error.code : String(error);
            seen.errors.set(code, (seen.errors.get(code) ?? 0) + 1);
            await wait(50);
          }
        }
      }),
    );
    await wait(500);
    await server().kill();
    await wait(OUTAGE_MS);
    await server().start();
    const before = seen.right;
    while (seen.right < before + 20) await wait(50);
    ended = true;
    await Promise.all(load);
    process.stderr.write(`right ${seen.right}, wrong ${seen.wrong}, errors ${JSON.stringify([...seen.errors])}\n`);
    expect(seen.wrong).toBe(0);
    expect([...seen.errors.keys()]).toEqual(["store_unavailable"]);
    await edit(both[0], 7);
    expect(await priceOf(both[1])).toBe(7);
  });

  it(`lose no acknowledged row when PostgreSQL is killed ${KILLS} times while both write`, { timeout: 3_600_000 }, async () => {
    // Above the default limit, because its deletions would look like lost rows.
    const both = await replicas({ "retention.interactions_rows": 1_000_000 });
    const acknowledged = new Set<string>();
    const add = async ({ engine }: Library, id: string) => {
      await addInteraction(engine.store, { ...sampleInteraction, id, domain: "library" });
      acknowledged.add(id);
    };
    let refused = 0;
    for (let round = 0; round < KILLS; round++) {
      let killed = false;
      const writing = both.map(async (library, which) => {
        for (let n = 0; !killed; n++)
          await add(library, `${round}-${which}-${n}`).catch(() => {
            refused++;
          });
      });
      await wait(20 + Math.random() * 200);
      await server().kill();
      killed = true;
      await Promise.all(writing);
      await server().start();
    }
    const stored = new Set((await both[1].engine.store.interactions.list("library", 1_000_000)).map(({ id }) => id));
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    process.stderr.write(`${KILLS} kills, ${acknowledged.size} rows acknowledged, ${refused} refused, ${lost.length} lost\n`);
    expect(acknowledged.size).toBeGreaterThan(KILLS);
    expect(lost).toEqual([]);
    expect(await both[0].engine.store.audit.verify()).toMatchObject({ intact: true });
  });
});
