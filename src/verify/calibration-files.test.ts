import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeCalibration } from "../testing/gate-calibration.ts";
import { CalibrationFiles, LOOK_AGAIN_MS } from "./calibration.ts";

let folder = "";
let now = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "calibrations-"));
  now = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = (at = folder) => new CalibrationFiles({ folder: at, clock: () => now });
function write(name: string, content: unknown = fakeCalibration({ name })): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
const found = (name: string) => ({ type: "found", calibration: expect.objectContaining({ name }) });

describe("CalibrationFiles", () => {
  it("reports a folder that cannot be read, and fails no question for it", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(files(file).find("d", "p", null)).toMatchObject({ type: "unreadable", why: expect.stringContaining("folder cannot be read") });
  });

  it("takes the newest of the domain and profile", () => {
    for (const name of ["d.p.2026-11-20T101500Z", "d.p.2026-11-21T101500Z", "d.other.2026-12-01T101500Z", "de.p.2026-12-01T101500Z"])
      write(name);
    expect(files().find("d", "p", null)).toEqual(found("d.p.2026-11-21T101500Z"));
  });

  it("sees a new file after a while, and one that changed", () => {
    const looking = files();
    write("d.p.1");
    expect(looking.find("d", "p", null)).toEqual(found("d.p.1"));
    write("d.p.2");
    expect(looking.find("d", "p", null)).toEqual(found("d.p.1"));
    now = LOOK_AGAIN_MS;
    expect(looking.find("d", "p", null)).toEqual(found("d.p.2"));
    write("d.p.2", "{");
    now = 2 * LOOK_AGAIN_MS;
    expect(looking.find("d", "p", null)).toMatchObject({ type: "unreadable" });
  });

  it("takes the domain pack's own when none was made here", () => {
    mkdirSync(join(folder, "pack"));
    const shipped = write("pack/shipped");
    expect(files().find("d", "p", shipped)).toEqual(found("pack/shipped"));
    write("d.p.1");
    expect(files().find("d", "p", shipped)).toEqual(found("d.p.1"));
  });
});
