import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROGRAM, runCli } from "./support/cli.ts";
import { folderOfFile } from "./support/folders.ts";

const folder = folderOfFile();
writeFileSync(join(folder, "tinnitus.md"), "# Tinnitus\n\nTinnitus is rated at 10 percent.\n");

const argsOf = (options: readonly string[]) => [
  "check",
  "--question",
  "How is tinnitus rated?",
  "--answer",
  "-",
  "--sources",
  folder,
  ...options,
];

async function check(answer: string | Buffer, ...options: string[]) {
  const { code, stdout, stderr } = await runCli(argsOf(options), { cwd: folder, stdin: [Buffer.from(answer)] });
  return { status: code, stdout, stderr };
}

/** Runs a separate process, for a piped standard input and a real exit code. */
function checkProcess(answer: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...argsOf([])], {
    input: answer,
    encoding: "utf8",
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  return { status, stdout, stderr };
}

describe("sourcebound check", () => {
  it("exits with 0 when every check passes, and shows the source with its offsets", () => {
    const { status, stdout } = checkProcess("Tinnitus is rated at 10 percent [1].");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining("characters 12–44: “Tinnitus is rated at 10 percent.”"),
    });
    expect(stdout).toContain("Every check passed.");
  });

  it("exits with 5 when a check fails, also with JSON", async () => {
    expect(checkProcess("Tinnitus is rated at 20 percent [1].")).toMatchObject({
      status: 5,
      stdout: expect.stringContaining("values fail"),
    });
    const { status, stdout } = await check("Tinnitus is rated at 20 percent [1].", "--json");
    expect(status).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ passed: false, sentences: [{ verdict: "fail", passage: { start: 12, end: 44 } }] });
  });

  it.each([
    ["nothing", "", "answer_empty"],
    ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x41]), "answer_not_text"],
    ["too much", Buffer.alloc(2_000_000, "a "), "answer_too_long"],
  ])("exits with 2 for %s", async (_what, answer, code) => {
    expect(await check(answer)).toMatchObject({ status: 2, stderr: expect.stringContaining(code) });
  });

  it("exits with 2 for an unknown tenant, domain or profile", async () => {
    for (const option of [
      ["--tenant", "x"],
      ["--domain", "x"],
      ["--profile", "x"],
    ])
      expect((await check("Ten.", ...option)).status).toBe(2);
  });
});
