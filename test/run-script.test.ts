import { execFile } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { folderOfFile } from "./support/folders.ts";

const folder = folderOfFile();

interface Machine {
  /** A checkout: `run`, `scripts` and a program that prints its Node.js version. */
  readonly checkout: string;
  /** The only folder on the path besides the system's tools. */
  readonly bin: string;
}

/** Creates a checkout on a machine with these commands. `npm` logs its arguments and "installs" this process's Node.js. */
function machine({ node, npm = NPM }: { node: string | null; npm?: string | null }): Machine {
  const root = mkdtempSync(join(folder, "machine-"));
  const checkout = join(root, "a checkout");
  const bin = join(root, "bin");
  mkdirSync(join(checkout, "dist"), { recursive: true });
  mkdirSync(bin);
  for (const name of ["run", "scripts", "package.json", "package-lock.json"]) {
    cpSync(join(PACKAGE_ROOT, name), join(checkout, name), { recursive: true });
  }
  const main = /main=(\S+)/.exec(readFileSync(join(checkout, "run"), "utf8"))?.[1] ?? "";
  mkdirSync(join(checkout, main, ".."), { recursive: true });
  writeFileSync(join(checkout, main), 'console.log("ran on", process.execPath, process.argv.slice(2).join(" "));\n');
  for (const tool of "sh cat chmod cksum cp dirname find head ls mkdir mv rm sleep touch tr uname".split(" ")) {
    const path = ["/bin", "/usr/bin"].map((folder) => join(folder, tool)).find((one) => existsSync(one));
    if (path !== undefined) symlinkSync(path, join(bin, tool));
  }
  if (node !== null) writeProgram(join(bin, "node"), node);
  if (npm !== null) writeProgram(join(bin, "npm"), npm);
  return { checkout, bin };
}

const OLD_NODE = '[ "$1" = --version ] && echo v20.20.2; [ "$1" != -e ]';
const NEW_NODE = `exec "${process.execPath}" "$@"`;
/** A fake `npm ci`, slow enough for concurrent runs. */
const NPM = `
echo "$PWD $*" >>"\${0%/*}/npm.log"
[ "$1" = ci ] || exit 0
[ -f "\${0%/*}/broken" ] && { mkdir -p node_modules; echo "npm error network" >&2; exit 1; }
sleep 0.3
mkdir -p node_modules/.bin
case "$PWD" in */.node/*) printf '#!/bin/sh\\nexec "${process.execPath}" "$@"\\n' >node_modules/.bin/node; chmod +x node_modules/.bin/node ;; esac
`;

function writeProgram(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function run({ checkout, bin }: Machine, args: readonly string[] = ["profiles"]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile("/bin/sh", [join(checkout, "run"), ...args], { env: { PATH: bin, HOME: bin } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const npmCalls = ({ bin }: Machine) =>
  existsSync(join(bin, "npm.log")) ? readFileSync(join(bin, "npm.log"), "utf8").split("\n").filter(Boolean) : [];
const brought = (calls: readonly string[]) => calls.filter((call) => /\.node\/\S+ ci/.test(call));

describe("./run", { concurrent: true }, () => {
  it("uses the machine's Node.js if it is new enough", async () => {
    const here = machine({ node: NEW_NODE });
    expect(await run(here)).toMatchObject({ code: 0, out: expect.stringContaining("ran on") });
    expect(existsSync(join(here.checkout, ".node"))).toBe(false);
  });

  it("installs Node.js into the checkout if the machine's is older, reports it in one line, and does so once", async () => {
    const here = machine({ node: OLD_NODE });
    const first = await run(here, ["ask", "What is it?"]);
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^ran on .* ask What is it\?\n$/) });
    expect(first.err.match(/^Bringing Node\.js 22 into \.node .*this machine has v20\.20\.2.*$/gm)).toHaveLength(1);
    expect((await run(here)).err).toBe("");
    expect(brought(npmCalls(here))).toHaveLength(1);
    expect(npmCalls(here)[0]).toContain("--ignore-scripts");
  });

  it("installs again after an interrupted install, and after the pinned version changed", async () => {
    const here = machine({ node: OLD_NODE });
    writeFileSync(join(here.bin, "broken"), "");
    expect(await run(here)).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/could not be fetched.*22\.13 or newer/) });
    rmSync(join(here.bin, "broken"));
    expect(await run(here)).toMatchObject({ code: 0 });
    rmSync(join(here.checkout, ".node/22/.complete"));
    expect(await run(here)).toMatchObject({ code: 0 });
    const lock = join(here.checkout, "scripts/node/22/package-lock.json");
    writeFileSync(lock, readFileSync(lock, "utf8").replace("22.23.3", "22.24.0"));
    expect(await run(here)).toMatchObject({ code: 0 });
    expect(brought(npmCalls(here))).toHaveLength(4);
  });

  it("installs once for two simultaneous starts", async () => {
    const here = machine({ node: OLD_NODE });
    for (const { code } of await Promise.all([run(here), run(here)])) expect(code).toBe(0);
    expect(brought(npmCalls(here))).toHaveLength(1);
  });

  it.each([
    ["no Node.js and no npm", null, null, /needs Node\.js 22\.13 or newer with npm.*has Node\.js: none, npm: none/],
    ["an old Node.js without npm", OLD_NODE, null, /has Node\.js: v20\.20\.2, npm: none/],
  ])("says what to install when there is %s", async (_what, node, npm, words) => {
    const here = machine({ node, npm });
    expect(await run(here)).toMatchObject({ code: 1, out: "", err: expect.stringMatching(words) });
  });

  it("reports when the registry has no build for this machine", async () => {
    const here = machine({ node: OLD_NODE, npm: "mkdir -p node_modules" });
    expect(await run(here)).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/no Node\.js 22 that runs on this machine \(/) });
  });

  it("pins every platform's package by hash", () => {
    for (const major of ["22", "24", "26"]) {
      const { packages } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "scripts/node", major, "package-lock.json"), "utf8"));
      const pinned = Object.entries<{ version: string; integrity?: string }>(packages).filter(([path]) => path !== "");
      expect(pinned.length).toBeGreaterThan(1);
      for (const [, { version, integrity }] of pinned) expect([version.split(".")[0], integrity?.slice(0, 7)]).toEqual([major, "sha512-"]);
    }
  });
});
