import { expect, it } from "vitest";
import type { IngestEvent } from "../../events.ts";
import { createTerminal } from "../terminal.ts";
import { showIngest } from "./ingest.ts";

/** What is shown of files of the sizes, each after so many milliseconds. */
async function shown(files: readonly { readonly bytes: number; readonly after: number }[]): Promise<string[]> {
  const lines: string[] = [];
  const collect = { isTTY: true, columns: 200, write: (text: string) => lines.push(text) };
  const terminal = createTerminal({ stdout: collect, stderr: collect, env: { NO_COLOR: "1" } });
  let now = 0;
  const counts = { added: 0, changed: 0, unchanged: 0, renamed: 0, deleted: 0, failed: 0 };
  async function* events(): AsyncGenerator<IngestEvent> {
    yield { type: "scan-end", files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), skipped: [] };
    let bytes = 0;
    for (const [i, file] of files.entries()) {
      now += file.after;
      bytes += file.bytes;
      const done = { ...counts, total: files.length, done: i + 1, bytes };
      yield { type: "document", path: `${i}.md`, outcome: "added", chunks: 1, counts: done };
    }
  }
  await showIngest(events(), terminal, false, () => now);
  return lines.filter((line) => line.includes("files,"));
}

it("says how long an ingest will take once enough of it is done to tell", async () => {
  const first = { bytes: 10, after: 900 };
  const others = Array.from({ length: 10 }, () => ({ bytes: 1_000_000, after: 1_000 }));
  const lines = await shown([first, ...others]);
  expect(lines).toHaveLength(11);
  expect(lines.map((line) => /, ([^,]*) left/.exec(line)?.[1] ?? null).slice(0, 5)).toEqual([null, null, null, "10 s", "8 s"]);
  expect((await shown([first, { bytes: 1_000_000, after: 100 }])).join()).not.toContain("left");
});
