import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { loadDomain, SHIPPED_DOMAINS } from "../src/engine/domain.ts";
import { makeFile } from "../src/ingest/testing/made-files.ts";
import { makePdf } from "../src/ingest/testing/made-pdf.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { configSchema } from "../src/shared/config.ts";
import { runCli, startCli } from "./support/cli.ts";
import { blocksOf, PAGES, shellLines, withoutComment, wordsOf } from "./support/docs.ts";
import { runLine } from "./support/run-example.ts";

const run = promisify(execFile);
const CARD = "What does a lost card cost?";

let cwd = "";
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "docs-examples-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
}

const FEES =
  "# Fees\n\n## Lost cards\n\nA lost card costs 5 dollars to replace.\n\n## Late fees\n\nA book that is late costs 10 cents a day.\n";

/** Reads the folder of the examples and asks once: the id that `ID` stands for. */
async function answered(question = CARD, domain: readonly string[] = []): Promise<string> {
  await runLine("sourcebound ingest ./my-documents", cwd);
  const { stdout } = await runCli(["ask", "--json", question, ...domain], { cwd });
  return (JSON.parse(stdout) as { id: string }).id;
}

interface Page {
  /** Files and answers that the page takes as given; what comes back stands for the placeholders of its lines. */
  readonly given: () => Promise<Readonly<Record<string, string>>>;
  /** Its commands take seconds each: `./run test` leaves them to `--all`. */
  readonly isLong?: boolean;
  /** Lines that begin so are not run here, and why. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

const NO_END = "runs until it is stopped: test/serving.test.ts, test/browser";
const DOWNLOADS = "downloads: src/models/hub/*.test.ts";
const DATA = "needs sets that are not part of the package: lab/runs/*.test.ts";

const pages: Readonly<Record<string, Page>> = {
  "README.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES });
      await runLine(`sourcebound ingest ${join(SHIPPED_DOMAINS, "veterans", "documents")} --domain veterans`, cwd);
      return {};
    },
    elsewhere: { "./run demo": NO_END, "./run serve": NO_END, "./run test": "is what runs this" },
  },
  "docs/guide.md": {
    given: async () => {
      write({
        "my-documents/fees.md": FEES,
        "handbook.pdf": makePdf([{ type: "paragraph", text: "The reading room opens at nine in the morning." }]).bytes,
        "prices.xlsx": makeFile("xlsx", [
          {
            type: "table",
            rows: [
              ["Thing", "Price"],
              ["Copy", "10 cents"],
            ],
          },
        ]).bytes,
      });
      return { ID: await answered(), 'fees" "…"': 'fees" "What does a book that is late cost?"', "…": CARD };
    },
    elsewhere: {
      "./run ingest https:": "asks the web: src/ingest/crawl/*.test.ts",
      "./run serve": NO_END,
      "./run models": DOWNLOADS,
      "./run reports show": "of an answer with a report: test/reports.test.ts",
    },
  },
  "docs/audit.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES, "better.txt": "A lost card costs 5 dollars to replace [1].\n\n[1]: fees.md\n" });
      return { ID: await answered(), "…": CARD };
    },
  },
  "docs/experiments.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES, "sourcebound.config.yaml": blocksOf("docs/experiments.md", "yaml")[0] ?? "" });
      await answered();
      return {};
    },
  },
  "docs/golden.md": {
    isLong: true,
    given: async () => {
      write({ "manual/fees.md": FEES, "questions.yaml": "- { question: can I borrow a piano, kind: near_miss }\n" });
      const rows = [
        {
          id: "a1",
          question: CARD,
          gold_pages: ["fees.md"],
          gold_quotes: ["A lost card costs 5 dollars to replace."],
          key_values: ["5 dollars"],
        },
      ];
      write({ "manual-questions/answerable.jsonl": rows.map((row) => `${JSON.stringify(row)}\n`).join("") });
      await runLine("sourcebound eval golden --corpus manual --golden manual-questions --out before.json", cwd);
      return { "--fail-over wrong.shown=.5": "--fail-over wrong.shown=1 # exit 0 or 5" };
    },
    elsewhere: { "./run eval": DATA },
  },
  "docs/proofs.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES });
      return { ID: await answered(), "./my-documents": "./my-documents" };
    },
  },
  "docs/replay.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES, "edited/fees.md": FEES.replace("5 dollars", "6 dollars") });
      return { ID: await answered(), "./edited": "./edited # exit 0 or 5" };
    },
  },
  "docs/domains.md": {
    isLong: true,
    given: async () => {
      const { child, shows, finished } = startCli(["demo", "--domain", "retail", "--port", "0"], { cwd, timeoutMs: 120_000 });
      await shows(/Ctrl-C stops/);
      child.kill("SIGTERM");
      await finished;
      write({
        "handbook/fees.md": FEES,
        "emma.txt": `CHAPTER I\n\n${"Emma lived in the world. ".repeat(30)}\n\nCHAPTER II\n\n${"She was rich. ".repeat(30)}\n`,
      });
      return {};
    },
    elsewhere: {
      "./run demo": NO_END,
      "./run eval": "asks the book that the line before fetches",
      "node domains/book/make-documents.mjs --package": "fetches a package: test/packs.test.ts runs the script on a file",
    },
  },
  "docs/scale.md": {
    given: async () => {
      write({ "my-documents/fees.md": FEES });
      await answered();
      return {};
    },
    elsewhere: { "DATABASE_URL=": "needs PostgreSQL: test/backup.test.ts, test/postgres-*.test.ts" },
  },
  "docs/calibration.md": {
    given: async () => ({}),
    elsewhere: { "./run calibrate": "needs an index of 150 windows and labels over it: test/calibrate.test.ts" },
  },
  "docs/memory.md": { given: async () => ({}), elsewhere: { "./run eval": DATA } },
  "docs/retrieval.md": { given: async () => ({}), elsewhere: { "./run eval": DATA, "./run models": DOWNLOADS } },
  "docs/speed.md": { given: async () => ({}), elsewhere: { "./run bench": "takes minutes: lab/bench, whose parts have tests" } },
  "CONTRIBUTING.md": { given: async () => ({}), elsewhere: { "./run test": "is what runs this", npx: "is what runs this" } },
};

async function runCommands(page: string, { given, elsewhere = {} }: Page): Promise<void> {
  const lines = shellLines(page);
  const stands = await given();
  const skipped = new Set<string>();
  for (const line of lines) {
    const skip = Object.keys(elsewhere).find((start) => line.startsWith(start));
    if (skip !== undefined) {
      skipped.add(skip);
      continue;
    }
    const [before, piped] = withoutComment(line).split(" | ");
    const command = Object.entries(stands).reduce((text, [name, value]) => text.replace(name, value), piped ?? line);
    await runLine(command, cwd, piped === undefined ? [] : [Buffer.from(`# ${before}\n\nThe garden opens in May.\n`)]);
  }
  expect(lines.length).toBeGreaterThan(0);
  // A reason without a line is a reason for nothing.
  expect([...skipped].sort()).toEqual(Object.keys(elsewhere).sort());
}

const isLong = ([, { isLong = false }]: readonly [string, Page]) => isLong;
it.each(Object.entries(pages).filter((page) => !isLong(page)))("every command of %s runs as it stands", runCommands, 600_000);
it.each(Object.entries(pages).filter(isLong))(
  "every command of %s runs as it stands",
  { tags: ["all/docs"], timeout: 600_000 },
  runCommands,
);

it("no page with commands is left out", () => {
  const others = ["docs/tutorials.md", "docs/service.md"];
  expect(PAGES.filter((page) => shellLines(page).length > 0).sort()).toEqual([...Object.keys(pages), ...others].sort());
});

it("the requests of docs/service.md are answered as they stand", { tags: ["all/docs"] }, async () => {
  write({
    "my-documents/fees.md": FEES,
    "letter.pdf": makePdf([{ type: "paragraph", text: "The fountain is turned off in winter." }]).bytes,
    "fees.md": FEES,
  });
  await runLine("sourcebound ingest ./my-documents", cwd);
  const { child, shows, finished } = startCli(["serve", "--port", "0"], { cwd, timeoutMs: 120_000 });
  try {
    const [, url = ""] = await shows(/(http:\/\/127\.0\.0\.1:\d+)/);
    let [key, file] = ["", ""];
    for (const line of shellLines("docs/service.md")) {
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

/** Settings that stand on the pages, as the configuration reads them. */
const settings = PAGES.flatMap((page) => blocksOf(page, "yaml").map((text) => [page, text] as const)).filter(
  ([page]) => page !== "docs/tutorials.md",
);

it.each(settings)("%s: what is set there is read: %j", (page, text) => {
  const value: unknown = parse(text);
  if (page === "docs/golden.md" || text.startsWith("scrape_configs")) return expect(value).toBeTypeOf("object");
  if (text.startsWith("name: library")) {
    write({ "packs/library/domain.yaml": text });
    return expect(loadDomain("library", join(cwd, "packs")).title).toBe("Rules of the town library");
  }
  expect(() => configSchema.parse(value)).not.toThrow();
});

it("programs of the pages run as they stand", async () => {
  const programs = join(PACKAGE_ROOT, "dist", ".docs-examples");
  mkdirSync(programs, { recursive: true });
  try {
    write({ "my-documents/fees.md": FEES, "documents/fees.md": FEES });
    await runLine("sourcebound ingest ./documents", cwd);
    await runLine(`sourcebound ask --proof proof.json "${CARD}"`, cwd);
    await runLine("sourcebound prove key > key.pem", cwd);
    for (const [page, told] of [
      ["README.md", "A lost card costs 5 dollars to replace."],
      ["docs/proofs.md", "verified []"],
    ] as const) {
      const [program = ""] = blocksOf(page, "js");
      writeFileSync(join(programs, "program.mjs"), program);
      const { stdout } = await run(process.execPath, [join(programs, "program.mjs")], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
      expect([page, stdout.trim()]).toEqual([page, told]);
    }
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
});

it("the client of docs/service.md is what the package exports", async () => {
  const [program = ""] = blocksOf("docs/service.md", "ts");
  const names = /import \{ ([^}]+) \}/.exec(program)?.[1]?.split(", ") ?? [];
  const client: object = await import("../src/client/index.ts");
  expect([names.length, names.filter((name) => !(name in client))]).toEqual([2, []]);
  expect(JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")).exports["./client"]).toBeDefined();
});
