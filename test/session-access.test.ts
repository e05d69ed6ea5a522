import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../src/config.ts";
import { createEngine } from "../src/engine/engine.ts";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

it("tells a model nothing that an earlier answer took from a document which the asker may not see any more", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-session-access-"));
  const model = fakeChatModel([["The reading room closes at nine [1]."]]);
  const config = loadConfig({
    cwd: folder,
    env: {},
    overrides: { data_dir: join(folder, "data"), embeddings: "none", cache: { enabled: false } },
  });
  const engine = await createEngine(config, { ...SHARED_PARTS, models: { small: model, large: model } });
  const ingest = async (access: string) => {
    for await (const _ of engine.ingest(join(folder), { access })) void _;
  };
  try {
    writeFileSync(join(folder, "room.md"), "# The reading room\n\nThe reading room closes at nine.\n");
    await ingest("public");
    const first = await engine.answer("When does the reading room close?", { sessionId: "s" });
    expect(first.sentences.map(({ text }) => text).join(" ")).toContain("nine");
    await engine.answer("When does the reading room close?", { sessionId: "kept" });
    const before = model.calls.length;
    await engine.answer("When does the reading room close?", { sessionId: "kept" });
    const said = (call: number) => model.calls[call]?.prompt.user ?? "";
    expect(said(before)).toContain("A: The reading room closes at nine");
    await ingest("staff");
    rmSync(join(folder, "room.md"));
    writeFileSync(join(folder, "archive.md"), "# The archive\n\nThe archive opens on Mondays.\n");
    for await (const _ of engine.ingest(folder, { source: "other" })) void _;
    const after = model.calls.length;
    await engine.answer("When does the archive open?", { sessionId: "s" });
    expect(said(after)).toContain("When does the reading room close?");
    expect(said(after)).not.toContain("nine");
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
