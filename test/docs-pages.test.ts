import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { type FakeEndpoint, startFakeEndpoint } from "../src/testing/fake-endpoint.ts";
import { sectionsOf } from "./support/docs.ts";
import { runLine } from "./support/run-example.ts";

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

type Sections = ReturnType<typeof sectionsOf>;

async function runTutorial(_: string, blocks: Sections[number][1]): Promise<void> {
  for (const { info, text } of blocks) {
    const file = /title=(\S+)/.exec(info)?.[1];
    if (file !== undefined) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), text.replace("http://127.0.0.1:11434/v1", endpoint.url));
    } else if (info === "sh") for (const line of text.split("\n").filter((one) => one.trim() !== "")) await runLine(line, cwd);
    else expect(info).toBe("a block that this test knows");
  }
}

/** Judges a whole golden set: `./run test` leaves it to `--all`. */
const LONG = "A model";
const tutorials = Map.groupBy(sectionsOf(PAGE), ([title]) => (title === LONG ? "long" : "short"));
const long: Sections = tutorials.get("long") ?? [];
it("the tutorial that is left to --all is there", () => expect(long).toHaveLength(1));
it.each(tutorials.get("short") ?? [])("the tutorial %s runs as it stands", runTutorial, 300_000);
it.each(long)("the tutorial %s runs as it stands", { tags: ["all/docs"] }, runTutorial);

it.each(["docs/concepts.md", "docs/tutorials.md", "docs/security.md", "docs/measurements.md", "docs/golden.md", "README.md"])(
  "every link of %s leads to a file",
  (page) => {
    const links = [...readFileSync(join(PACKAGE_ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = ""]) => to);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((to) => !existsSync(join(PACKAGE_ROOT, dirname(page), to)))).toEqual([]);
  },
);
