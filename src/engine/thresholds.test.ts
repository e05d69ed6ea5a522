import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engineInTest } from "../../test/support/engine.ts";
import { folderOfTest, writeIn } from "../../test/support/folders.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadCalibrations, scaleFor } from "../models/calibration/calibration.ts";
import type { Encoder } from "../models/encoder.ts";
import { profileNamed } from "../profiles/index.ts";
import { loadConfig } from "../shared/config.ts";
import { fakeEncoder } from "../testing/fake-encoder.ts";

const here = folderOfTest();

async function decideWith(
  encoder: Encoder,
  profile: string,
): Promise<{ facts: Record<string, unknown>; notices: { code: string; message: string }[] }> {
  const engine = await engineInTest(loadConfig({ cwd: here.folder, env: {} }), { encoder });
  writeIn(
    here.folder,
    "pages/a.md",
    "# Tinnitus\n\nRecurrent tinnitus is rated at 10 percent, whether it is heard in one ear or in both.\n",
  );
  for await (const _ of engine.ingest(join(here.folder, "pages")));
  const events = await Array.fromAsync(engine.ask("How is recurrent tinnitus rated?", { profile }));
  const end = events.find(({ type }) => type === "decide-end");
  return {
    facts: end !== undefined && "facts" in end ? end.facts : {},
    notices: events.flatMap((event) => (event.type === "notice" && event.stage === "decide" ? [event] : [])),
  };
}

describe("thresholds of a source", () => {
  it("apply unchanged with the encoder that the source names", async () => {
    const encoder = { ...fakeEncoder(), model: "text-embedding-3-small" };
    const { facts, notices } = await decideWith(encoder, "seven-layer");
    expect(facts).toMatchObject({ thresholds: "raw", minimum: 0.45 });
    expect(notices).toEqual([]);
  });

  it("are converted to the embedded encoder, and the answer says so", async () => {
    const encoder = SHARED_PARTS.embedded();
    const { facts, notices } = await decideWith(encoder, "seven-layer");
    const scale = scaleFor("text-embedding-3-small", encoder, loadCalibrations());
    expect(facts).toMatchObject({ thresholds: "carried", minimum: Number(scale.threshold(0.45).toFixed(4)) });
    expect(facts.minimum).not.toBe(0.45);
    expect(notices.map(({ code }) => code)).toEqual(["thresholds_carried"]);
    expect(notices[0]?.message).toContain("assumed");
  });

  it("are replaced by the learned confidence if a gate has one for the embedded encoder, even with one page", async () => {
    const { gate } = profileNamed("book");
    const { facts } = await decideWith(SHARED_PARTS.embedded(), "book");
    expect(facts).toMatchObject({ thresholds: "learned", minimum: gate.type === "best-similarity" ? gate.probability : null });
  });

  it.each(["sourcebound", "validator"])("do not concern a gate without cosines: %s", async (profile) => {
    const { facts, notices } = await decideWith(SHARED_PARTS.embedded(), profile);
    expect(facts.thresholds).toBeUndefined();
    expect(notices.filter(({ code }) => code.startsWith("thresholds_"))).toEqual([]);
  });
});
