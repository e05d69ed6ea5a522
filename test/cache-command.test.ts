import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "./support/cli.ts";
import { libraryForAll } from "./support/engine.ts";
import { CARD } from "./support/library.ts";

const library = libraryForAll();
beforeAll(() => library.ask(CARD));

function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runCli(args, { cwd: library.sandbox.folder, env: { ...library.sandbox.env, ...env } });
}

describe("sourcebound cache", () => {
  it("counts stored answers, for people and as JSON", async () => {
    const { stdout } = await cli(["cache", "stats"]);
    expect(stdout).toMatch(/^entries: 1$/m);
    const stats = JSON.parse((await cli(["cache", "stats", "--json", "--domain", "library"])).stdout);
    expect(stats).toMatchObject({
      domain: "library",
      entries: 1,
      capacity: 10_000,
      enabled: true,
      expired: 0,
      by_profile: { sourcebound: 1 },
    });
    expect(await cli(["cache", "stats", "--domain", "libary"])).toMatchObject({ code: 2, stderr: expect.stringContaining("library") });
  });

  it("explains a hit and a miss without changing anything", async () => {
    const { stdout: hit } = await cli(["cache", "explain", CARD]);
    for (const line of ["cache_mode: exact", "  - level: exact", "    served: true", "    rule: same_question"])
      expect(hit).toContain(line);
    const { stdout } = await cli(["cache", "explain", "--json", "When does the library open?"]);
    const explained = JSON.parse(stdout);
    expect(explained).toMatchObject({ cache_mode: "miss", not_asked: null, profile: "sourcebound" });
    expect(explained.judged[0]).toMatchObject({ level: "exact", rule: "none", served: false, stored_at: null });
    expect((await cli(["cache", "explain", CARD], { SOURCEBOUND_CACHE: "off" })).stdout).toContain("disabled");
    expect(await cli(["cache", "explain", ""])).toMatchObject({ code: 2 });
    expect(JSON.parse((await cli(["cache", "stats", "--json"])).stdout).entries).toBe(1);
  });

  it("clears one domain or all, and requires one of the two", async () => {
    expect(await cli(["cache", "clear"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--all") });
    expect(await cli(["cache", "clear", "--all", "--domain", "library"])).toMatchObject({ code: 2 });
    expect(JSON.parse((await cli(["cache", "stats", "--json"])).stdout).entries).toBe(1);
    expect(await cli(["cache", "clear", "--domain", "library", "--json"])).toMatchObject({
      code: 0,
      stdout: '{"cleared":1,"domain":"library"}\n',
    });
    expect(await cli(["cache", "clear", "--all"])).toMatchObject({ code: 0, stdout: "Deleted 0 stored answers.\n" });
  });
});
