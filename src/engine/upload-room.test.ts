import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FileRecord } from "../store/document-rows.ts";
import { sha256Hex } from "../text/hash.ts";
import { createFolderRoom } from "./upload-room.ts";

const OF = { domain: "d", tenant: null, label: "public" };
const READ: Omit<FileRecord, "path" | "originalHash"> = {
  ...{ settings: "", status: "ok", reason: null, access: OF.label },
  ...{ updatedAt: "2999-01-01T00:00:00.000Z", readAt: "2999-01-01T00:00:00.000Z" },
};
let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "sourcebound-room-")), "uploads");
});
afterEach(() => rmSync(dirname(root), { recursive: true }));

/** A promise with its resolver. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A room whose ingest stores the found files in `stored`; `pause` delays it between reading and storing. */
function openRoom(stored: Map<string, string>, pause: () => Promise<void> = async () => undefined) {
  let readings = 0;
  const ingest = async function* (folder: string) {
    readings++;
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const found = new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    await pause();
    stored.clear();
    for (const [name, text] of found) stored.set(name, text);
  };
  const listFiles = async () => [...stored].map(([path, text]) => ({ ...READ, path, originalHash: sha256Hex(text) }));
  const warn = (message: string) => expect(message).toBe("");
  const opened = { config: { data_dir: dirname(root) }, store: { documents: { listFiles } }, closing: new AbortController() };
  const room = createFolderRoom({ ...opened, now: () => new Date(), warn } as never, ingest);
  const put = (text: string) => room.put(OF, [{ path: "a.md", bytes: Buffer.from(text) }], () => undefined);
  const states = async () => (await room.waiting("d")).map(({ path, status }) => `${path} ${status}`);
  return { ...room, put, states, readings: () => readings };
}

it("reads at start what came in the place of a file that was just being read, and nothing that was read as it lies there", async () => {
  const stored = new Map<string, string>();
  const [begun, go] = [gate(), gate()];
  let calls = 0;
  const ended = openRoom(stored, async () => {
    // The end of the process interrupts the second ingest.
    if (++calls === 2) await new Promise(() => undefined);
    begun.open();
    await go.opened;
  });
  await ended.put("one");
  await begun.opened;
  await ended.put("two");
  go.open();
  await expect.poll(() => calls).toBe(2);
  expect(Object.fromEntries(stored)).toEqual({ "a.md": "one" });
  const next = openRoom(stored);
  expect(await next.states()).toEqual([expect.stringMatching(/^a\.md (queued|reading)$/)]);
  await next.idle();
  expect([Object.fromEntries(stored), await next.states()]).toEqual([{ "a.md": "two" }, []]);
  const third = openRoom(stored);
  await third.resume();
  await third.idle();
  expect([third.readings(), await third.states()]).toEqual([0, []]);
});

it("reads a file that is put while the one before it is forgotten", async () => {
  const stored = new Map<string, string>();
  const room = openRoom(stored);
  await room.put("one");
  await room.idle();
  const [begun, go] = [gate(), gate()];
  const taken = room.take(OF, "a.md", async () => {
    begun.open();
    await go.opened;
    stored.delete("a.md");
  });
  await begun.opened;
  await room.put("two");
  expect(await room.states()).toEqual(["a.md queued"]);
  go.open();
  await taken;
  await room.idle();
  expect([Object.fromEntries(stored), await room.states()]).toEqual([{ "a.md": "two" }, []]);
});

it("takes out what a reading brings back, and not what was put after it was asked for", async () => {
  const stored = new Map<string, string>();
  const [begun, go] = [gate(), gate()];
  const room = openRoom(stored, async () => {
    begun.open();
    await go.opened;
  });
  await room.put("one");
  await begun.opened;
  const forgotten: (string | undefined)[] = [];
  const forget = async () => {
    forgotten.push(stored.get("a.md"));
    stored.delete("a.md");
  };
  const taken = room.take(OF, "a.md", forget);
  await room.put("two");
  go.open();
  await taken;
  await room.idle();
  expect([forgotten, Object.fromEntries(stored), await room.states()]).toEqual([["one"], { "a.md": "two" }, []]);
  await room.take(OF, "a.md", forget);
  expect([Object.fromEntries(stored), await room.states()]).toEqual([{}, []]);
});
