import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { startCli } from "./support/cli.ts";
import { folderOfFile, writeIn } from "./support/folders.ts";
import { runLine } from "./support/run-example.ts";

const run = promisify(execFile);
const CARD = "What does a lost card cost?";
const MAIN = join(PACKAGE_ROOT, "dist/src/cli/main.js");

const cwd = folderOfFile();
let url = "";
let stop = async (): Promise<unknown> => undefined;

/** Runs a program of `examples/` in a folder with ingested documents; returns its output. */
async function example(name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const all = { PATH: process.env.PATH, HOME: cwd, ...env };
  return (await run(process.execPath, [join(PACKAGE_ROOT, "examples", name), ...args], { cwd, env: all })).stdout;
}

beforeAll(async () => {
  writeIn(cwd, "documents/fees.md", "# Fees\n\nA lost card costs 5 dollars to replace.\n");
  await runLine("sourcebound ingest ./documents", cwd);
  const { child, shows, finished } = startCli(["serve", "--port", "0"], { cwd, timeoutMs: 120_000 });
  [, url = ""] = await shows(/(http:\/\/127\.0\.0\.1:\d+)/);
  stop = () => {
    child.kill("SIGTERM");
    return finished;
  };
});
afterAll(() => stop());

it("library.mjs answers and refuses in process", async () => {
  const printed = await example("library.mjs");
  expect(printed).toMatch(/^2 documents\nchecked: .*30 days.*\n\[1\] returns\.md:\d+ .*\ninsufficient_context \w+\n$/);
});

it("evaluate.mjs passes while no displayed answer is wrong", async () => {
  expect(await example("evaluate.mjs")).toMatch(/ok How long may books be kept\?[\s\S]*\n0 of \d answers shown are wrong\n$/);
});

it("fetch.mjs prints a streamed answer with its sources", async () => {
  expect(await example("fetch.mjs", [CARD], { URL: url })).toMatch(/^.*5 dollars.*\n\[1\] Fees: ".*5 dollars.*"\n$/);
});

it("openai.mjs asks through the chat API", async () => {
  expect(await example("openai.mjs", [CARD], { URL: url })).toMatch(/5 dollars[\s\S]*\nok 1\n$/);
});

it("mcp.mjs calls the tool over standard input and output", async () => {
  const printed = await example("mcp.mjs", [CARD], { SOURCEBOUND: `${process.execPath} ${MAIN}` });
  expect(printed).toMatch(/^ask, search, check_answer\n[\s\S]*5 dollars/);
});

it("hono.mjs answers inside another app", async () => {
  const probe = createServer().listen(0);
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const child = execFile(process.execPath, [join(PACKAGE_ROOT, "examples/hono.mjs")], { cwd, env: { ...process.env, PORT: String(port) } });
  try {
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    const response = await fetch(`http://127.0.0.1:${port}/help`, { method: "POST", body: JSON.stringify({ question: CARD }) });
    const { sources } = (await response.json()) as { sources: { quote: string }[] };
    expect(sources.map(({ quote }) => quote)).toEqual(["A lost card costs 5 dollars to replace."]);
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }
});

it("runs every example", () => {
  const programs = readdirSync(join(PACKAGE_ROOT, "examples")).filter((name) => name.endsWith(".mjs"));
  expect(programs.sort()).toEqual(["evaluate.mjs", "fetch.mjs", "hono.mjs", "library.mjs", "mcp.mjs", "openai.mjs"]);
});
