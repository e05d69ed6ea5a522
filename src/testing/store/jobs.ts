import { describe, expect, it } from "vitest";
import { JOB_LEASE_MS } from "../../store/jobs.ts";
import type { WithStore } from "./fixtures.ts";

const job = (id: string) => ({ id, domain: "d", work: { of: id } });

export function describeJobs(name: string, withStore: WithStore): void {
  describe(`${name}: jobs`, () => {
    it(
      "assigns each job to one worker, the oldest first, for concurrent requests",
      withStore(async ({ store, second }) => {
        for (let n = 0; n < 20; n++) await store.jobs.ask(job(`j${n}`));
        expect(await store.jobs.claim("first")).toEqual(job("j0"));
        const claims = await Promise.all(Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? store : second).jobs.claim(`w${n}`)));
        const got = claims.flatMap((one) => one?.id ?? []);
        expect(new Set(got).size).toBe(got.length);
        // A claim finds nothing while others are claiming all free jobs. A worker then tries again, as this loop does.
        for (let more = await store.jobs.claim("last"); more !== null; more = await store.jobs.claim("last")) got.push(more.id);
        expect(got.sort()).toEqual(Array.from({ length: 19 }, (_, n) => `j${n + 1}`).sort());
      }),
    );

    it(
      "runs a repeated job once, and again if it was requested while running",
      withStore(async ({ store, second }) => {
        await store.jobs.ask(job("j"));
        await second.jobs.ask(job("j"));
        expect(await store.jobs.claim("a")).toEqual(job("j"));
        await second.jobs.ask(job("j"));
        expect(await second.jobs.claim("b")).toBeNull();
        await store.jobs.done("j", "a");
        expect(await second.jobs.claim("b")).toEqual(job("j"));
        await second.jobs.done("j", "b");
        expect(await store.jobs.list("d")).toEqual([]);
      }),
    );

    it(
      "leases a task to one holder at a time, until it is released or not renewed",
      withStore(async ({ store, second, advance }) => {
        const all = await Promise.all(
          Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? store : second).leases.take("index", `h${n}`, 1_000)),
        );
        const holder = `h${all.indexOf(true)}`;
        expect(all.filter(Boolean)).toHaveLength(1);
        advance(900);
        expect(await store.leases.take("index", holder, 1_000)).toBe(true);
        advance(900);
        expect(await second.leases.take("index", "other", 1_000)).toBe(false);
        expect(await second.leases.take("another", "other", 1_000)).toBe(true);
        advance(200);
        expect(await second.leases.take("index", "other", 1_000)).toBe(true);
        await store.leases.release("index", holder);
        expect(await store.leases.take("index", holder, 1_000)).toBe(false);
        await second.leases.release("index", "other");
        expect(await store.leases.take("index", holder, 1_000)).toBe(true);
      }),
    );

    it(
      "reassigns the job of a silent worker, which can then no longer end it",
      withStore(async ({ store, second, advance }) => {
        await store.jobs.ask(job("j"));
        await store.jobs.claim("silent");
        advance(JOB_LEASE_MS / 2);
        expect(await store.jobs.alive("j", "silent")).toBe(true);
        advance(JOB_LEASE_MS - 1);
        expect(await second.jobs.claim("next")).toBeNull();
        advance(2);
        expect(await second.jobs.claim("next")).toEqual(job("j"));
        expect(await store.jobs.alive("j", "silent")).toBe(false);
        await store.jobs.done("j", "silent");
        await store.jobs.fail("j", "silent", "too late");
        expect(await store.jobs.list("d")).toEqual([{ ...job("j"), state: "running", reason: null }]);
      }),
    );

    it(
      "keeps a failure with its reason until the next request, and takes back a returned job",
      withStore(async ({ store }) => {
        await store.jobs.ask(job("j"));
        await store.jobs.claim("a");
        await store.jobs.fail("j", "a", "the folder is gone");
        expect(await store.jobs.list("d")).toEqual([{ ...job("j"), state: "failed", reason: "the folder is gone" }]);
        expect(await store.jobs.claim("a")).toBeNull();
        await store.jobs.ask(job("j"));
        expect(await store.jobs.claim("a")).toEqual(job("j"));
        await store.jobs.giveBack("j", "a");
        expect(await store.jobs.claim("b")).toEqual(job("j"));
      }),
    );
  });

  describe(`${name}: originals`, () => {
    it(
      "stores uploaded files byte for byte, by tenant and label",
      withStore(async ({ store, second }) => {
        const of = { domain: "d", tenant: null, label: "public" };
        const bytes = Uint8Array.from({ length: 100_000 }, (_, n) => n % 256);
        await store.originals.put(of, "a.pdf", bytes);
        await store.originals.put({ ...of, tenant: "t" }, "b.pdf", bytes);
        expect(await second.originals.bytes(of, "a.pdf")).toEqual(bytes);
        expect((await second.originals.list(of)).map(({ path }) => path)).toEqual(["a.pdf"]);
        await second.originals.put(of, "a.pdf", new Uint8Array(0));
        expect(await store.originals.bytes(of, "a.pdf")).toEqual(new Uint8Array(0));
        await store.originals.remove(of, "a.pdf");
        expect(await second.originals.bytes(of, "a.pdf")).toBeNull();
        expect(await store.originals.list({ ...of, tenant: "t" })).toHaveLength(1);
      }),
    );

    it(
      "stores several files or none, depending on the present ones",
      withStore(async ({ store, second }) => {
        const of = { domain: "d", tenant: null, label: "public" };
        const files = ["a.md", "b.md"].map((path) => ({ path, bytes: new Uint8Array(1) }));
        const told: (readonly string[])[] = [];
        await store.originals.putAll(of, files, (paths) => told.push(paths));
        await store.originals.putAll(of, [{ path: "c.md", bytes: new Uint8Array(1) }], (paths) => told.push([...paths].sort()));
        expect(told).toEqual([[], ["a.md", "b.md"]]);
        const refused = store.originals.putAll(of, [{ path: "d.md", bytes: new Uint8Array(1) }], () => {
          throw new Error("no room");
        });
        await expect(refused).rejects.toThrow("no room");
        expect((await second.originals.list(of)).map(({ path }) => path)).toEqual(["a.md", "b.md", "c.md"]);
      }),
    );
  });
}
