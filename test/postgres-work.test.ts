// @module-tag all/postgres
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Library } from "./support/engine.ts";
import { createSandbox } from "./support/library.ts";
import { whyNoPostgres } from "./support/postgres.ts";
import { useReplicas } from "./support/replicas.ts";

const DEPOSIT = { name: "rules/deposit.md", bytes: new TextEncoder().encode("# Deposit\n\nThe deposit for a violin is 40 dollars.\n") };
const ASKED = "What is the deposit for a violin?";

describe.skipIf(whyNoPostgres !== null)("jobs of workers on PostgreSQL", () => {
  const replicas = useReplicas();

  const statusOf = async ({ engine }: Library) => (await engine.library()).find(({ path }) => path === DEPOSIT.name)?.status;

  it("ingest an upload of one replica for the other, and delete it through the other, without files in a folder", async () => {
    const [first, second] = (await replicas.open(2)) as [Library, Library];
    const uploaded = await first.engine.upload(DEPOSIT);
    expect(uploaded.status).toBe("queued");
    await expect.poll(() => statusOf(second)).toBe("ok");
    expect((await second.ask(ASKED)).sentences.map(({ text }) => text).join(" ")).toContain("40 dollars");
    expect(await second.engine.deleteUpload(uploaded.id)).toBe(true);
    expect(await statusOf(first)).toBeUndefined();
    expect((await first.ask(ASKED)).sentences.map(({ text }) => text).join(" ")).not.toContain("40 dollars");
    await expect.poll(() => first.engine.store.jobs.list("library")).toEqual([]);
    expect(await statusOf(second)).toBeUndefined();
    expect(existsSync(join(first.sandbox.folder, "data", "uploads"))).toBe(false);
  });

  it("keep all simultaneous uploads of both replicas", async () => {
    const [first, second] = (await replicas.open(2)) as [Library, Library];
    const files = Array.from({ length: 12 }, (_, n) => ({
      name: `f${n}.md`,
      bytes: new TextEncoder().encode(`# File ${n}\n\nRoom ${n} seats ${n + 20} people.\n`),
    }));
    await Promise.all(files.map((file, n) => (n % 2 === 0 ? first : second).engine.upload(file)));
    await expect.poll(() => first.engine.store.jobs.list("library")).toEqual([]);
    const read = (await second.engine.library()).filter(({ path }) => path.startsWith("f") && path.endsWith(".md"));
    expect(read.map(({ status }) => status)).toEqual(files.map(() => "ok"));
  });

  it("read each folder left to workers once", async () => {
    const [first, second, third] = (await replicas.open(3)) as [Library, Library, Library];
    const folders = Array.from({ length: 6 }, (_, n) =>
      createSandbox({ [`note${n}.md`]: `# Note ${n}\n\nThe number of this note is ${n + 500}.\n` }),
    );
    for (const { folder } of folders) await first.engine.queue(join(folder, "documents"));
    const [one, two] = await Promise.all([
      Array.fromAsync(second.engine.work({ once: true })),
      Array.fromAsync(third.engine.work({ once: true })),
    ]);
    const ended = [...one, ...two].filter(({ type }) => type === "job-end");
    expect(ended.map(({ counts }) => counts?.added)).toEqual(folders.map(() => 1));
    expect((await first.engine.library()).filter(({ path }) => path.startsWith("note"))).toHaveLength(folders.length);
    for (const folder of folders) folder.remove();
  });

  it("report the reason of a failed job, and continue with the others", async () => {
    const [only] = (await replicas.open(1)) as [Library];
    await only.engine.queue(join(only.sandbox.folder, "nowhere"));
    await only.engine.queue(join(only.sandbox.folder, "documents"));
    const events = await Array.fromAsync(only.engine.work({ once: true }));
    expect(events.map(({ type }) => type)).toEqual(["job-start", "job-failed", "job-start", "job-end"]);
    expect(events[1]?.reason).toContain("nowhere");
  });
});
