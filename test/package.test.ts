import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { NPM_SETTINGS } from "./support/npm.ts";
import { TRIES_ALL } from "./support/trials.ts";

const run = promisify(execFile);
const root = realpathSync(mkdtempSync(join(tmpdir(), "package-")));
const empty = join(root, "empty");
let packed: { filename: string; size: number; files: { path: string }[] };
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The path has only Node.js and npm, nothing of this checkout. */
const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...NPM_SETTINGS, npm_config_fund: "false", npm_config_audit: "false" };

const holds = "holds the program, its weights, domains and page, and nothing that measures, trains or tests";

function expectProductOnly({ size, files }: typeof packed): void {
  const paths = files.map(({ path }) => path);
  const wanted = [
    ...["dist/src/cli/main.js", "dist/src/index.d.ts", "dist/web/index.html"],
    ...["src/models/weights/encoder.bin", "domains/veterans/domain.yaml", "LICENSE", "NOTICE.md", "README.md"],
  ];
  expect(paths).toEqual(expect.arrayContaining(wanted));
  expect(
    paths.filter((path) => /^(lab|dist\/lab|test|scripts|web|training|bench|examples)\/|\.test\.|\.map$|^src\/.*\.ts$/.test(path)),
  ).toEqual([]);
  expect(size).toBeLessThan(26_000_000);
}

describe.skipIf(TRIES_ALL)("the package as this checkout builds it", () => {
  it(holds, async () => {
    const { stdout } = await run("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], { cwd: PACKAGE_ROOT, env });
    expectProductOnly(JSON.parse(stdout.slice(stdout.indexOf("[\n")))[0]);
  });
});

const copy = join(root, "clone");

async function packAndInstall(): Promise<void> {
  // Packs a copy, because packing rebuilds while other tests use this build.
  mkdirSync(copy);
  mkdirSync(empty);
  for (const name of readdirSync(PACKAGE_ROOT)) {
    if (["node_modules", "dist", ".git", ".node", ".sourcebound", ".run-lock"].includes(name)) continue;
    cpSync(join(PACKAGE_ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(PACKAGE_ROOT, "node_modules"), join(copy, "node_modules"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", root], { cwd: copy, env });
  packed = JSON.parse(stdout.slice(stdout.indexOf("[\n")))[0];
  writeFileSync(join(empty, "package.json"), '{ "private": true }\n');
  await run("npm", ["install", "--prefer-offline", "--omit=dev", join(root, packed.filename)], { cwd: empty, env });
}

const sourcebound = (...args: string[]) => run("npx", ["--no-install", "sourcebound", ...args], { cwd: empty, env });

describe.runIf(TRIES_ALL)("the package, packed and installed", { tags: ["all/package"] }, () => {
  beforeAll(packAndInstall, 600_000);

  it(holds, () => {
    expectProductOnly(packed);
  });

  it("prints --help and --version in an empty folder, with the installed command's name", async () => {
    expect((await sourcebound("--help")).stdout).toMatch(/^Usage: sourcebound [\s\S]*\n {2}sourcebound ask "/);
    expect((await sourcebound("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(existsSync(join(empty, ".sourcebound"))).toBe(false);
  });

  it("ingests documents and answers from them", async () => {
    mkdirSync(join(empty, "documents"));
    writeFileSync(join(empty, "documents", "cards.md"), "# Library cards\n\nA lost library card costs 5 dollars to replace.\n");
    expect((await sourcebound("ingest", "documents")).stdout).toContain("1 added");
    const { stdout } = await sourcebound("ask", "What does a lost library card cost to replace?");
    expect(stdout).toContain("5 dollars");
    expect(stdout).toContain("cards.md, characters");
  });

  it("finds telephone numbers by the library that it bundles", async () => {
    const pii = join(empty, "node_modules", "sourcebound", "dist", "src", "guard", "pii.js");
    const found = `findPersonalData("Fax it to +44 20 7946 0958 please.").map(({ kind, text }) => kind + " " + text).join()`;
    const script = `const { findPersonalData } = await import(${JSON.stringify(pii)}); console.log(${found});`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: empty, env });
    expect(stdout).toBe("phone +44 20 7946 0958\n");
    expect(existsSync(join(empty, "node_modules", "libphonenumber-js"))).toBe(false);
  });

  it("leaves a checkout that still builds and runs", async () => {
    expect((await run("./run", ["--version"], { cwd: copy, env })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  }, 600_000);

  it("exports its entry points", async () => {
    const script = `
      const [{ createEngine }, { createClient }] = await Promise.all([import("sourcebound"), import("sourcebound/client")]);
      console.log(typeof createEngine, typeof createClient);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: empty, env });
    expect(stdout).toBe("function function\n");
  });
});
