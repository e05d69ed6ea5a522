import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { loadDomain, SHIPPED_DOMAINS } from "../src/engine/domain.ts";
import { makeFile } from "../src/ingest/testing/made-files.ts";
import { makePdf } from "../src/ingest/testing/made-pdf.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { configSchema } from "../src/shared/config.ts";
import { runCli, startCli } from "./support/cli.ts";
import { blocksOf, PAGES, shellLines, TUTORIALS, withoutComment, wordsOf } from "./support/docs.ts";
import { folderOfTest } from "./support/folders.ts";
import { writeFiles } from "./support/library.ts";
import { runLine } from "./support/run-example.ts";

const run = promisify(execFile);
const CARD = "What does a lost card cost?";

const here = folderOfTest();
let cwd = "";
beforeEach(() => {
  cwd = realpathSync(here.folder);
});

const FEES =
  "# Fees\n\n## Lost cards\n\nA lost card costs 5 dollars to replace.\n\n## Late fees\n\nA book that is late costs 10 cents a day.\n";

/** Ingests the examples' folder and asks once; returns the answer's id, which replaces `ID`. */
async function answered(): Promise<string> {
  await runLine("sourcebound ingest ./my-documents", cwd);
  const { stdout } = await runCli(["ask", "--json", CARD], { cwd });
  return (JSON.parse(stdout) as { id: string }).id;
}

interface Page {
  /** Files that the page assumes besides `my-documents/fees.md`. */
  readonly files?: () => Readonly<Record<string, string | Uint8Array>>;
  /** Whether the page assumes an ingested folder and an answer, whose id replaces `ID`. */
  readonly asks?: boolean;
  /** Another command that the page assumes to have run. */
  readonly command?: string;
  /** Prefixes of lines that are not run here, with the reason. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

const NO_END = "runs until it is stopped: test/serving.test.ts, test/browser";
const DOWNLOADS = "downloads: src/models/hub/*.test.ts";
const PRICES = [
  ["Thing", "Price"],
  ["Copy", "10 cents"],
];

const pages: Readonly<Record<string, Page>> = {
  "README.md": {
    command: `sourcebound ingest ${join(SHIPPED_DOMAINS, "veterans", "documents")} --domain veterans`,
    elsewhere: { "./run demo": NO_END, "./run serve": NO_END, "./run test": "is what runs this" },
  },
  "docs/ingest.md": {
    files: () => ({
      "handbook.pdf": makePdf([{ type: "paragraph", text: "The reading room opens at nine in the morning." }]).bytes,
      "prices.xlsx": makeFile("xlsx", [{ type: "table", rows: PRICES }]).bytes,
    }),
    elsewhere: { "./run ingest https:": "asks the web: src/ingest/crawl/*.test.ts" },
  },
  "docs/models.md": {
    files: () => ({ "questions.jsonl": `${JSON.stringify({ id: "card", question: CARD })}\n` }),
    asks: true,
    elsewhere: { "./run models": DOWNLOADS, "npm install": "downloads: src/models/adapters/local-model.test.ts" },
  },
  "docs/review.md": {
    files: () => ({
      "better.txt": blocksOf("docs/review.md", "text title=better.txt")[0] ?? "",
      "sourcebound.config.yaml": blocksOf("docs/review.md", "yaml")[0] ?? "",
    }),
    asks: true,
  },
  "docs/verify.md": { asks: true },
  "docs/scale.md": {
    asks: true,
    elsewhere: { "DATABASE_URL=": "needs PostgreSQL: test/backup.test.ts, test/postgres-*.test.ts" },
  },
  "docs/privacy.md": { asks: true },
  "CONTRIBUTING.md": { elsewhere: { "./run test": "is what runs this", npx: "is what runs this" } },
};

async function runCommands(page: string, { files, asks = false, command: assumed, elsewhere = {} }: Page): Promise<void> {
  const lines = shellLines(page);
  writeFiles(cwd, { "my-documents/fees.md": FEES, ...files?.() });
  if (assumed !== undefined) await runLine(assumed, cwd);
  const id = asks ? await answered() : "ID";
  const skipped = new Set<string>();
  for (const line of lines) {
    const skip = Object.keys(elsewhere).find((start) => line.startsWith(start));
    if (skip !== undefined) {
      skipped.add(skip);
      continue;
    }
    const [before, piped] = withoutComment(line).split(" | ");
    const command = (piped ?? line).replace("ID", id);
    await runLine(command, cwd, piped === undefined ? [] : [Buffer.from(`# ${before}\n\nThe garden opens in May.\n`)]);
  }
  expect(lines.length).toBeGreaterThan(0);
  // Every exception must match a line.
  expect([...skipped].sort()).toEqual(Object.keys(elsewhere).sort());
}

it.each(Object.entries(pages))("every command of %s runs as written", runCommands, 600_000);

it("no page with commands is missing", () => {
  const others = [...TUTORIALS, "docs/clients.md"];
  expect(PAGES.filter((page) => shellLines(page).length > 0).sort()).toEqual([...Object.keys(pages), ...others].sort());
});

it("the requests of docs/clients.md succeed as written", { tags: ["all/docs"] }, async () => {
  writeFiles(cwd, {
    "my-documents/fees.md": FEES,
    "letter.pdf": makePdf([{ type: "paragraph", text: "The fountain is turned off in winter." }]).bytes,
    "fees.md": FEES,
  });
  await runLine("sourcebound ingest ./my-documents", cwd);
  const { child, shows, finished } = startCli(["serve", "--port", "0"], { cwd, timeoutMs: 120_000 });
  try {
    const [, url = ""] = await shows(/(http:\/\/127\.0\.0\.1:\d+)/);
    let [key, file] = ["", ""];
    for (const line of shellLines("docs/clients.md")) {
      const [, made] = /^KEY=\$\((.*)\)$/.exec(line) ?? [];
      if (made !== undefined) {
        key = (await runLine(made, cwd)).trim().split("\n").at(-1) ?? "";
        continue;
      }
      const words = wordsOf(withoutComment(line))
        .slice(1)
        .map((word) => word.replace("localhost:8787", url).replace("$KEY", key).replace("file_…", file));
      const { stdout } = await run("curl", [...words, "--fail-with-body"], { cwd });
      file = /"(file_[^"]+)"/.exec(stdout)?.[1] ?? file;
      expect([line, stdout]).toEqual([line, expect.stringMatching(line.includes("-X DELETE") ? /^$|^\{/ : /^\{/)]);
    }
    expect([key, file]).toEqual([expect.stringMatching(/^sb_|^\S{20,}$/), expect.stringMatching(/^file_/)]);
  } finally {
    child.kill("SIGTERM");
    await finished;
  }
});

/** Settings on the pages, except those of tutorials, which run there. */
const settings = PAGES.flatMap((page) => blocksOf(page, "yaml").map((text) => [page, text] as const)).filter(
  ([page]) => !TUTORIALS.includes(page),
);

it.each(settings)("%s: the settings are valid: %j", (_, text) => {
  const value: unknown = parse(text);
  if (text.startsWith("scrape_configs")) return expect(value).toBeTypeOf("object");
  if (text.startsWith("name: library")) {
    writeFiles(cwd, { "packs/library/domain.yaml": text });
    return expect(loadDomain("library", join(cwd, "packs")).title).toBe("Rules of the town library");
  }
  expect(() => configSchema.parse(value)).not.toThrow();
});

/** Calls `use` with a folder inside the package, so that `sourcebound` resolves to it. */
async function inPackage(use: (programs: string) => Promise<void>): Promise<void> {
  const programs = join(PACKAGE_ROOT, "dist", ".docs-examples");
  mkdirSync(programs, { recursive: true });
  try {
    await use(programs);
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
}

it("programs of the pages run as written", async () => {
  await inPackage(async (programs) => {
    writeFiles(cwd, { "my-documents/fees.md": FEES, "documents/fees.md": FEES });
    await runLine("sourcebound ingest ./my-documents", cwd);
    await runLine(`sourcebound ask --proof proof.json "${CARD}"`, cwd);
    await runLine("sourcebound prove key > key.pem", cwd);
    for (const [page, at, told] of [
      ["README.md", 0, "A lost card costs 5 dollars to replace."],
      ["docs/verify.md", 0, "verified []"],
      ["docs/typescript.md", 0, "1\nA lost card costs 5 dollars to replace. fees.md 23"],
      ["docs/typescript.md", 1, "false [ 'values', 'support' ]"],
    ] as const) {
      const program = blocksOf(page, "js")[at] ?? "";
      writeFileSync(join(programs, "program.mjs"), program);
      const { stdout } = await run(process.execPath, [join(programs, "program.mjs")], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
      expect([page, stdout.trim()]).toEqual([page, told]);
    }
  });
});

/** Extracts the example above `declaration` as a program. */
function exampleOf(path: string, declaration: string): string {
  const before = readFileSync(join(PACKAGE_ROOT, path), "utf8").split(declaration)[0] ?? "";
  const comment = before.slice(before.lastIndexOf("/**"));
  return comment
    .slice(comment.indexOf("@example") + "@example".length)
    .split("\n")
    .map((line) => line.replace(/^\s*\*\/?\s?/, ""))
    .join("\n");
}

const EXAMPLES: readonly (readonly [name: string, path: string, declaration: string, output: RegExp])[] = [
  ["createEngine", "src/engine/engine.ts", "export async function createEngine", /^documents\n$/],
  ["Engine", "src/engine/engine.ts", "export type Engine", /^1\nok A lost library card costs 5 dollars/],
  ["ask", "src/engine/asking.ts", "  const ask = (question", /^(sentence .*5 dollars.*\n)+answer ok\n$/],
  ["citationStates", "src/engine/documents.ts", "  citationStates: (", /^same\n$/],
  ["verifyAnswer", "src/pipeline/verify-answer.ts", "export async function verifyAnswer", /^false values\n$/],
];

// One process runs all examples and exits by itself, which proves that none leaves anything open.
it(`the examples of ${EXAMPLES.map(([name]) => name).join(", ")} in doc comments run as written`, async () => {
  writeFiles(cwd, { "documents/cards.md": "# Library cards\n\nA lost library card costs 5 dollars to replace.\n" });
  await inPackage(async (programs) => {
    for (const [name, path, declaration] of EXAMPLES) writeFileSync(join(programs, `${name}.mjs`), exampleOf(path, declaration));
    const all = join(programs, "all.mjs");
    writeFileSync(all, EXAMPLES.map(([name]) => `console.log("== ${name}");\nawait import("./${name}.mjs");\n`).join(""));
    const { stdout } = await run(process.execPath, [all], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
    const printed = new Map(stdout.split(/^== /m).map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]));
    for (const [name, , , output] of EXAMPLES) expect(printed.get(name), name).toMatch(output);
  });
});

it("the client that docs/clients.md describes is the exported one", async () => {
  const [program = ""] = blocksOf("docs/clients.md", "ts");
  const names = /import \{ ([^}]+) \}/.exec(program)?.[1]?.split(", ") ?? [];
  const client: object = await import("../src/client/index.ts");
  expect([names.length, names.filter((name) => !(name in client))]).toEqual([1, []]);
  expect(JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")).exports["./client"]).toBeDefined();
});
