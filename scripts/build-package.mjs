// Builds the published package from a clean state, for `npm pack` and for an install from git. `./run` builds a clone, including the lab.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Deletes declarations that no entry point of the package reaches: they are a third of all. */
function removeUnusedDeclarations(root) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const used = new Set();
  const waiting = Object.values(exports).map(({ types }) => resolve(root, types));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (used.has(path) || !existsSync(path)) continue;
    used.add(path);
    for (const [, target] of readFileSync(path, "utf8").matchAll(/(?:from|import\()\s*["'](\.[^"']+)\.[jt]s["']/g))
      waiting.push(resolve(dirname(path), `${target}.d.ts`));
  }
  const folder = join(root, "dist", "src");
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (name.endsWith(".d.ts") && !used.has(path)) rmSync(path);
  }
}

/** Bundles the parts of `libphonenumber-js` that the program imports. Installed as a package, it would take 13 MB. */
async function bundlePhoneNumbers(root) {
  const { build } = await import("vite");
  const folder = join(root, "dist", "src", "guard");
  const entry = join(root, "node_modules", "libphonenumber-js", "min", "index.js");
  const lib = { entry, formats: ["es"], fileName: () => "phone-numbers.js" };
  await build({ configFile: false, root, logLevel: "error", build: { outDir: folder, emptyOutDir: false, minify: true, lib } });
  const path = join(folder, "pii.js");
  const code = readFileSync(path, "utf8");
  const bundled = code.replace('"libphonenumber-js/min"', '"./phone-numbers.js"');
  if (bundled === code) throw new Error(`${path} does not import libphonenumber-js/min, so nothing was bundled. Update this script.`);
  writeFileSync(path, bundled);
}

if (process.env.npm_command !== "ci") {
  const root = join(import.meta.dirname, "..");
  for (const name of ["src", "web", ".tsbuildinfo", ".built"]) rmSync(join(root, "dist", name), { recursive: true, force: true });
  const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  run(join("node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json");
  run(join("node_modules", "vite", "bin", "vite.js"), "build", "web");
  removeUnusedDeclarations(root);
  await bundlePhoneNumbers(root);
  // Without this, the next build of a clone would take the deleted declarations for current.
  rmSync(join(root, "dist", ".tsbuildinfo"), { recursive: true, force: true });
}
