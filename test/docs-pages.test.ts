import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { type FakeEndpoint, startFakeEndpoint } from "../src/testing/fake-endpoint.ts";
import { runCli } from "./support/cli.ts";

const run = promisify(execFile);
const PAGE = "docs/tutorials.md";

let cwd = "";
let endpoint: FakeEndpoint;
beforeEach(async () => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "docs-pages-")));
  endpoint = await startFakeEndpoint({ chat: () => ({ type: "stream", pieces: ["Books may be kept for 21 days [1]."] }) });
});
afterEach(async () => {
  await endpoint.close();
  rmSync(cwd, { recursive: true, force: true });
});

interface Block {
  readonly info: string;
  readonly text: string;
}

/** Sections of a page by their titles, each with its fenced blocks in order. */
function sectionsOf(page: string): [string, Block[]][] {
  const sections: [string, Block[]][] = [];
  let open: { info: string; lines: string[] } | null = null;
  for (const line of readFileSync(join(PACKAGE_ROOT, page), "utf8").split("\n")) {
    if (open !== null && line === "```") {
      sections.at(-1)?.[1].push({ info: open.info, text: `${open.lines.join("\n")}\n` });
      open = null;
    } else if (open !== null) open.lines.push(line);
    else if (line.startsWith("```")) open = { info: line.slice(3), lines: [] };
    else if (line.startsWith("## ")) sections.push([line.slice(3), []]);
  }
  return sections;
}

/** Words of a command line as a shell splits them; quotes hold words together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

async function runLine(line: string): Promise<void> {
  const [command = "", comment = ""] = line.split(/\s+#\s+/);
  const codes = [...comment.matchAll(/\d+/g)].map(Number);
  const words = wordsOf(command);
  const env: Record<string, string> = {};
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", value = ""] = (words.shift() ?? "").split("=");
    env[name] = value;
  }
  const [program, ...args] = words;
  if (program === "node") {
    await run(
      process.execPath,
      args.map((arg) => (arg.startsWith("domains/") ? join(PACKAGE_ROOT, arg) : arg)),
      { cwd },
    );
    return;
  }
  expect([line, program]).toEqual([line, "sourcebound"]);
  const { code, stdout, stderr } = await runCli(args, { cwd, env });
  expect([line, codes.length === 0 ? [0] : codes, stdout, stderr]).toEqual([line, expect.arrayContaining([code]), stdout, stderr]);
}

it.each(sectionsOf(PAGE))(
  "the tutorial %s runs as it stands",
  async (_, blocks) => {
    for (const { info, text } of blocks) {
      const file = /title=(\S+)/.exec(info)?.[1];
      if (file !== undefined) {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), text.replace("http://127.0.0.1:11434/v1", endpoint.url));
      } else if (info === "sh") for (const line of text.split("\n").filter((one) => one.trim() !== "")) await runLine(line);
      else expect(info).toBe("a block that this test knows");
    }
  },
  300_000,
);

it.each(["docs/concepts.md", "docs/tutorials.md", "docs/security.md", "docs/measurements.md", "docs/golden.md", "README.md"])(
  "every link of %s leads to a file",
  (page) => {
    const links = [...readFileSync(join(PACKAGE_ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = ""]) => to);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((to) => !existsSync(join(PACKAGE_ROOT, dirname(page), to)))).toEqual([]);
  },
);
