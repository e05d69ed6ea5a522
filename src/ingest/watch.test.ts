import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesIn } from "./watch.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-watch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("changesIn", () => {
  it("tells what changed before anybody asked, in a new folder too, and ends when told to", async () => {
    const stop = new AbortController();
    const changes = changesIn(folder, stop.signal, 20);
    mkdirSync(join(folder, "new"));
    writeFileSync(join(folder, "new", "a.md"), "# A\n");
    expect((await changes.next()).done).toBe(false);
    const next = changes.next();
    writeFileSync(join(folder, "b.md"), "# B\n");
    expect((await next).done).toBe(false);
    stop.abort();
    let more = await changes.next();
    while (more.done !== true) more = await changes.next();
    expect(more.value).toBeUndefined();
  });

  it("fails where there is no such folder", async () => {
    await expect(changesIn(join(folder, "gone"), new AbortController().signal, 20).next()).rejects.toMatchObject({ code: "ENOENT" });
  });
});
