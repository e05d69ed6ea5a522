import { describe, expect, it, onTestFinished } from "vitest";
import { xlsxOf, zip } from "../src/ingest/testing/made-files.ts";
import { startCli } from "./support/cli.ts";
import { openInTest } from "./support/engine.ts";
import { createSandbox, type Sandbox } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

/** Scale of file sizes: a tenth by default. */
const SIZE = rounds({ all: 1, usually: 0.1 });
const MANY = 50_000 * SIZE;
const sized = (n: number) => Math.round(n * SIZE);
const lines = (n: number, line: (i: number) => string) => Array.from({ length: sized(n) }, (_, i) => line(i)).join("\n");

/** Malicious files, of which `src/ingest/hostile.test.ts` has more, and one valid file. */
function hostileFiles(): Record<string, string | Uint8Array> {
  const bomb = { "word/document.xml": "\0".repeat(rounds({ all: 80_000_000, usually: 20_000_000 })) };
  return {
    "good.md": "# Hours\n\nThe hall opens at nine.\n",
    "word.md": "x".repeat(sized(3_000_000)),
    "paragraphs.md": lines(MANY, (i) => `${i}\n`),
    "deep.json": `${"[".repeat(MANY)}${"]".repeat(MANY)}`,
    "rows.jsonl": lines(20_000, (i) => `{"a":${i}`),
    "columns.csv": `${"a,".repeat(sized(20_000))}\n${"1,".repeat(sized(20_000))}`,
    "tables.html": "<table><tr><td>".repeat(sized(2_000)),
    "bomb.docx": zip(bomb),
    "rows.xlsx": xlsxOf([{ name: "s", rows: Array.from({ length: sized(5_000) }, (_, i) => [`${i}`, "x"]) }]),
    "loop.pdf": "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 99999999>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
    "noise.md": Uint8Array.from({ length: sized(1_000_000) }, (_, i) => ((i * 2_654_435_761) >>> 13) & 255),
  };
}

/** Created once: the archives take seconds. */
const hostile = hostileFiles();

function open(): Sandbox {
  const sandbox = createSandbox(hostile);
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

describe("a folder of hostile files", () => {
  it("is read, with every file reported or taken in, and the good one answers", async () => {
    const { engine, ask } = await openInTest({ documents: {} });
    const { folder } = open();
    const events = await Array.fromAsync(engine.ingest(`${folder}/documents`, { source: "documents" }));
    const reported = new Set(events.flatMap((event) => ("path" in event ? [event.path] : [])));
    expect(Object.keys(hostile).filter((name) => !reported.has(name))).toEqual([]);
    const { citations } = await ask("When does the hall open?");
    expect(citations.map(({ quote }) => quote).join(" ")).toContain("opens at nine");
  });

  it("is left at SIGTERM", async () => {
    const { folder, env } = open();
    const { child, shows, finished } = startCli(["ingest", "documents"], { cwd: folder, env });
    await shows(/\d files: /);
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 130 });
  });
});
