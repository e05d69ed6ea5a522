import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { loadConfig } from "../src/shared/config.ts";
import type { KeyGrant } from "../src/store/keys.ts";
import { engineInTest, openInTest } from "./support/engine.ts";
import { appOf, callApp, createKey, serveInTest } from "./support/keyed-app.ts";
import { type Sandbox, writeFiles } from "./support/library.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

interface Said {
  readonly items: readonly {
    readonly id: string;
    readonly path: string;
    readonly status: string;
    readonly documents: readonly { id: string }[];
  }[];
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string };
}

async function open(settings: Readonly<Record<string, unknown>> = {}) {
  const { engine, sandbox } = await openInTest({ documents: {}, settings });
  const app = appOf(engine);
  const keyOf = (grant: Partial<KeyGrant> = {}) => createKey({ engine }, { roles: ["ask", "ingest"], tenants: [], ...grant });
  const send = (key: string, method: string, path: string, body?: FormData) => callApp<Said>(app, method, path, { key, body });
  const upload = (key: string, files: readonly (readonly [name: string, text: string])[], query = "") => {
    const form = new FormData();
    for (const [name, text] of files) form.append("file", new File([text], name));
    return send(key, "POST", `/v1/documents${query}`, form);
  };
  const list = async (key: string, query = "") => (await send(key, "GET", `/v1/documents${query}`)).body.items.map(({ path }) => path);
  const root = join(sandbox.folder, "data", "uploads");
  return { engine, sandbox, root, keyOf, send, upload, list };
}

const ADMIN: Partial<KeyGrant> = { roles: ["admin"], tenants: null };
const settled = (engine: Engine, path: string, access?: readonly string[]) =>
  expect
    .poll(async () => (await engine.library({ access })).find((file) => file.path === path)?.status, { timeout: 60_000, interval: 50 })
    .toBe("ok");

describe("the label of an upload", () => {
  it("is one of the key's labels; without its own, a key has those of the configuration, reduced to its tenant's", async () => {
    const { keyOf, upload, root } = await open({ access: ["public", "staff"] });
    const [plain, alice, board] = [await keyOf(), await keyOf({ tenants: ["alice"] }), await keyOf({ access: ["board"] })];
    for (const [key, label, status] of [
      [plain, "board", 403],
      [plain, "staff", 202],
      [plain, "public", 202],
      [alice, "board", 403],
      [alice, "staff", 403],
      [alice, "public", 202],
      [board, "public", 403],
      [board, "board", 202],
    ] as const) {
      const answered = await upload(key, [["a.md", "# A\n\nOne.\n"]], `?access=${label}`);
      expect([label, answered.status, answered.body.error?.code]).toEqual([label, status, status === 403 ? "scope_denied" : undefined]);
    }
    expect(readdirSync(join(root, "library", "_")).sort()).toEqual(["label-board", "label-public", "label-staff"]);
    expect(readdirSync(join(root, "library", "alice"))).toEqual(["label-public"]);
  });

  it("defaults to the key's first label, then to the pack's, which the key must have too", async () => {
    const { keyOf, upload, root } = await open({ access: ["staff"] });
    expect((await upload(await keyOf(), [["a.md", "One."]])).body.error.code).toBe("scope_denied");
    expect((await upload(await keyOf({ access: ["staff", "public"] }), [["a.md", "One."]])).status).toBe(202);
    expect(readdirSync(join(root, "library", "_"))).toEqual(["label-staff"]);
  });

  it("hides a file from other keys, but not from administrators, who list, open and delete it", async () => {
    const { engine, keyOf, send, upload, list } = await open();
    const [plain, board, admin] = [await keyOf(), await keyOf({ access: ["board"] }), await keyOf(ADMIN)];
    const { body } = await upload(board, [["vote.md", "# Vote\n\nThe vote was 7 to 2.\n"]]);
    const { id } = body.items[0] as Said["items"][0];
    expect([await list(plain), await list(admin)]).toEqual([[], ["vote.md"]]);
    await settled(engine, "vote.md", ["board"]);
    expect([await list(plain), await list(admin)]).toEqual([[], ["vote.md"]]);
    expect((await send(admin, "GET", `/v1/documents/${id}/status`)).body.status).toBe("ok");
    const document = (await send(admin, "GET", "/v1/documents")).body.items[0]?.documents[0]?.id;
    for (const path of [`/v1/documents/${document}`, `/v1/documents/${document}/versions`, `/v1/documents/${document}/original`]) {
      expect([path, (await send(plain, "GET", path)).status]).toEqual([path, 404]);
      if (!path.endsWith("original")) expect([path, (await send(admin, "GET", path)).status]).toEqual([path, 200]);
    }
    expect((await engine.original(document ?? "", { everyLabel: true })).path).toBe("vote.md");
    expect((await send(plain, "DELETE", `/v1/documents/${id}`)).status).toBe(404);
    expect((await send(admin, "DELETE", `/v1/documents/${id}`)).status).toBe(204);
    expect(await list(board)).toEqual([]);
  });
});

describe("a file whose documents set their own labels", () => {
  it("is hidden from others with its state, from a folder and an upload, also after a failure and during a new reading", async () => {
    const { engine, sandbox, keyOf, send, upload, list } = await open({ file_bytes: 2_000 });
    const [plain, staff, admin] = [await keyOf(), await keyOf({ access: ["public", "staff"] }), await keyOf(ADMIN)];
    const folder = join(sandbox.folder, "handed");
    const restricted = "---\naccess: staff\n---\n# Manual\n\nThe safe opens at noon.\n";
    writeFiles(folder, { "staff/manual.md": restricted, "open.md": "# Hours\n\nThe hall opens at nine.\n" });
    const ingest = async () => {
      for await (const _ of engine.ingest(folder)) void _;
    };
    const shown = async () => [await list(plain), await list(staff), await list(admin)];
    await ingest();
    expect(await shown()).toEqual([["open.md"], ["open.md", "staff/manual.md"], ["open.md", "staff/manual.md"]]);
    await upload(plain, [["safe.md", restricted]], "?access=public");
    await settled(engine, "safe.md", ["public", "staff"]);
    const all = ["open.md", "safe.md", "staff/manual.md"];
    expect(await shown()).toEqual([["open.md"], all, all]);
    // The file is now too large to parse; its stored documents remain.
    writeFileSync(join(folder, "staff", "manual.md"), "x".repeat(2_001));
    await ingest();
    await upload(plain, [["safe.md", `${restricted}It closes at one.\n`]], "?access=public");
    expect(await shown()).toEqual([["open.md"], all, all]);
    await settled(engine, "safe.md", ["public", "staff"]);
    for (const file of (await send(admin, "GET", "/v1/documents")).body.items) {
      const status = async (key: string) => (await send(key, "GET", `/v1/documents/${file.id}/status`)).status;
      expect([file.path, await status(plain), await status(staff)]).toEqual([file.path, file.path === "open.md" ? 200 : 404, 200]);
    }
  });

  it("is visible with the label of its folder if nothing of it was ever read", async () => {
    const { engine, sandbox, keyOf, list } = await open();
    const [plain, board] = [await keyOf(), await keyOf({ access: ["board"] })];
    const folder = join(sandbox.folder, "handed");
    writeFiles(folder, { "broken.pdf": "no PDF" });
    for await (const _ of engine.ingest(folder, { access: "board" })) void _;
    expect([await list(plain), await list(board)]).toEqual([[], ["broken.pdf"]]);
  });
});

describe("an upload of several files", () => {
  it.each([
    ["a kind that is not read", ["ok.md", "x.exe"], 415, "unsupported_format", "exe"],
    ["a name that leads out", ["ok.md", "../x.md"], 400, "file_name", "letters"],
    ["a path from the root", ["ok.md", "/etc/x.md"], 400, "file_name", "letters"],
    ["a name with a control character", ["ok.md", "a\u0000b.md"], 400, "file_name", "letters"],
    ["a name that is shown reversed", ["ok.md", "a\u202ecod.md"], 400, "file_name", "letters"],
    ["the same name twice", ["ok.md", "ok.md"], 400, "file_twice", "ok.md"],
    ["the same name in two spellings", ["é.md", "e\u0301.md"], 400, "file_twice", "é.md"],
    ["a file that is another's folder", ["ok.md", "ok.md/x.md"], 409, "file_name_taken", "ok.md"],
    ["a file that is too large", ["ok.md", "large.md"], 413, "file_too_large", "large.md"],
  ] as const)("accepts all or none: %s", async (_, names, status, code, named) => {
    const { keyOf, upload, list, root } = await open({ file_bytes: 100 });
    const key = await keyOf();
    const { status: answered, body } = await upload(
      key,
      names.map((name) => [name, name === "large.md" ? "x".repeat(101) : "Text."]),
    );
    expect([answered, body.error.code]).toEqual([status, code]);
    expect(body.error.message).toContain(named);
    expect(await list(key)).toEqual([]);
    expect(existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : []).toEqual(
      [],
    );
  });
});

describe("a file and a folder with the same path", () => {
  it("are a conflict in either order, which leaves no temporary file", async () => {
    const { keyOf, upload, list, root } = await open();
    const key = await keyOf();
    const put = async (name: string) => {
      const { status, body } = await upload(key, [[name, "# T\n\nText.\n"]]);
      return [status, body.error?.code];
    };
    expect(await put("README")).toEqual([202, undefined]);
    expect(await put("README/x.md")).toEqual([409, "file_name_taken"]);
    expect(await put("box.md/y.md")).toEqual([202, undefined]);
    expect(await put("box.md")).toEqual([409, "file_name_taken"]);
    expect(await put("README")).toEqual([202, undefined]);
    expect(await list(key)).toEqual(["README", "box.md/y.md"]);
    expect(readdirSync(join(root, ".part"))).toEqual([]);
  });

  it("may follow each other once the folder is empty", async () => {
    const { engine, keyOf, send, upload } = await open();
    const key = await keyOf();
    const { body } = await upload(key, [["box.md/deep/y.md", "# Y\n\nOne.\n"]]);
    await settled(engine, "box.md/deep/y.md");
    expect((await send(key, "DELETE", `/v1/documents/${body.items[0]?.id}`)).status).toBe(204);
    expect((await upload(key, [["box.md", "# Box\n\nTwo.\n"]])).status).toBe(202);
    await settled(engine, "box.md");
  });
});

describe("a file that changes while it is being read", () => {
  /** Opens an engine whose reader waits before each file until `next` is called. */
  const openGated = async () => {
    const waiting: (() => void)[] = [];
    const read: typeof SHARED_PARTS.reader.read = async (file, signal) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => resolve());
      });
      return SHARED_PARTS.reader.read(file, signal);
    };
    const { engine } = await openInTest({ documents: {}, reader: { ...SHARED_PARTS.reader, read } });
    const put = (text: string) => engine.upload({ name: "a.md", bytes: Buffer.from(text) });
    const begun = () => expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(1);
    const next = async () => {
      await begun();
      waiting.shift()?.();
    };
    const text = async () => {
      const id = (await engine.library())[0]?.documents[0]?.id ?? "";
      return (await engine.store.documents.load(engine.scope(), [id])).get(id)?.text;
    };
    return { engine, put, begun, next, text };
  };

  it("is listed as read only after its new version was read", async () => {
    const { engine, put, begun, next, text } = await openGated();
    await put("One.\n");
    await begun();
    await put("Two.\n");
    await next();
    await begun();
    const [file] = await engine.library();
    expect([await text(), file?.status]).toEqual(["One.", "reading"]);
    await next();
    await settled(engine, "a.md");
    expect(await text()).toBe("Two.");
  });

  it("stays deleted, because the deletion ends after the reading", async () => {
    const { engine, put, begun, next } = await openGated();
    const { id } = await put("One.\n");
    await begun();
    const deleted = engine.deleteUpload(id);
    await expect.poll(() => engine.library(), { timeout: 60_000 }).toEqual([]);
    expect(await Promise.race([deleted, wait(200, "waits for the reading")])).toBe("waits for the reading");
    await next();
    expect(await deleted).toBe(true);
    expect(await engine.counts(engine.scope())).toMatchObject({ documents: 0 });
    await expect.poll(() => engine.store.jobs.list("library"), { timeout: 60_000 }).toEqual([]);
    expect(await engine.library()).toEqual([]);
  });

  it("is read again in a version uploaded after its deletion", async () => {
    const { engine, put, begun, next, text } = await openGated();
    const { id } = await put("One.\n");
    await begun();
    const deleted = engine.deleteUpload(id);
    await expect.poll(() => engine.library(), { timeout: 60_000 }).toEqual([]);
    await put("Two.\n");
    await next();
    await next();
    expect(await deleted).toBe(true);
    await settled(engine, "a.md");
    expect(await text()).toBe("Two.");
  });
});

describe("uploads that were not read before the process ended", () => {
  const reopen = async ({ folder, env }: Sandbox): Promise<Engine> => {
    const engine = await engineInTest(loadConfig({ cwd: folder, env }), { warn: () => undefined });
    await engine.resumeUploads();
    return engine;
  };
  const filesOf = async (engine: Engine, options: Parameters<Engine["library"]>[0] = {}) =>
    (await engine.library(options)).map(({ path, tenant, source }) => [path, tenant, source]);

  it("are listed and read by the next process, with their tenant and label, and no other file is read again", async () => {
    const { engine, sandbox, root } = await open();
    await engine.upload({ name: "old.md", bytes: Buffer.from("# Old\n\nRead before.\n") });
    await settled(engine, "old.md");
    const [before] = await engine.library();
    await engine.upload({ name: "notes/new.md", bytes: Buffer.from("# New\n\nThe attic opens at 6:15.\n") });
    await engine.upload({ name: "README", bytes: Buffer.from("The cellar is dry.\n") }, { label: "staff only/ü" });
    await engine.upload({ name: "own.md", bytes: Buffer.from("# Own\n\nAlice has 3 keys.\n") }, { tenant: "alice" });
    await engine.close();
    // A temporary file as a killed process leaves it.
    writeFileSync(join(root, ".part", "half"), "hal");
    const next = await reopen(sandbox);
    const everything = { tenant: "alice", everyLabel: true };
    expect(await filesOf(next, everything)).toEqual([
      ["README", null, "upload:staff only/ü"],
      ["notes/new.md", null, "upload:public"],
      ["old.md", null, "upload:public"],
      ["own.md", "alice", "upload:public"],
    ]);
    expect(await filesOf(next)).toEqual([
      ["notes/new.md", null, "upload:public"],
      ["old.md", null, "upload:public"],
    ]);
    expect(existsSync(join(root, ".part"))).toBe(false);
    await expect
      .poll(async () => (await next.library(everything)).map(({ status }) => status), { timeout: 60_000 })
      .toEqual(["ok", "ok", "ok", "ok"]);
    const old = (await next.library()).find(({ path }) => path === "old.md");
    expect(old?.updatedAt).toBe(before?.updatedAt);
    await next.close();
    const third = await reopen(sandbox);
    expect((await third.library(everything)).map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it.each([
    ["its start", (engine: Engine) => engine.resumeUploads()],
    ["its list of files", (engine: Engine) => engine.library()],
  ])("are read without a job, triggered by %s", async (_, begin) => {
    const { engine, sandbox, root } = await open();
    await engine.upload({ name: "old.md", bytes: Buffer.from("# Old\n\nRead before.\n") });
    await settled(engine, "old.md");
    await engine.close();
    writeFiles(join(root, "library", "_", "label-public"), { "new.md": "# New\n\nThe attic opens at 6:15.\n" });
    const next = await engineInTest(loadConfig({ cwd: sandbox.folder, env: sandbox.env }));
    await begin(next);
    await expect.poll(async () => (await next.counts(next.scope())).documents, { timeout: 60_000 }).toBe(2);
    await settled(next, "new.md");
  });

  it("are read by a service that starts on the data folder of a killed process", async () => {
    const { engine, sandbox, root } = await open();
    await engine.upload({ name: "fee.md", bytes: Buffer.from("# Fee\n\nThe fee is 3 dollars.\n") });
    await settled(engine, "fee.md");
    await engine.store.jobs.ask({ id: "killed", domain: "library", work: { type: "uploads", tenant: null, label: "public" } });
    await engine.store.jobs.claim("killed");
    await engine.close();
    writeFileSync(join(root, "library", "_", "label-public", "fee.md"), "# Fee\n\nThe fee is 4 dollars.\n");
    const next = await engineInTest(loadConfig({ cwd: sandbox.folder, env: sandbox.env, overrides: { "server.port": 0 } }));
    await serveInTest(next);
    await expect.poll(() => next.store.jobs.list("library"), { timeout: 60_000 }).toEqual([]);
    const id = (await next.library())[0]?.documents[0]?.id ?? "";
    expect((await next.store.documents.load(next.scope(), [id])).get(id)?.text).toContain("The fee is 4 dollars.");
  });
});

describe("the data folder", () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it("is accessible to its owner only, with all contents, for any umask", async () => {
    const before = process.umask(0o022);
    try {
      const { engine, sandbox, root } = await open();
      await engine.upload({ name: "notes/a.md", bytes: Buffer.from("# A\n\nOne.\n") });
      await settled(engine, "notes/a.md");
      const data = join(sandbox.folder, "data");
      expect([data, modeOf(data)]).toEqual([data, "700"]);
      const open600 = readdirSync(data, { recursive: true, withFileTypes: true }).map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, modeOf(path), entry.isDirectory() ? "700" : "600"] as const;
      });
      expect(open600.map(([path]) => path)).toEqual(
        expect.arrayContaining([join(data, "sourcebound.db"), join(data, "sourcebound.db-wal"), root]),
      );
      for (const [path, mode, wanted] of open600) expect([path, mode]).toEqual([path, wanted]);
    } finally {
      process.umask(before);
    }
  });
});
