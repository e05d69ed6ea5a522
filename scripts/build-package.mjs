// Builds the published package from a clean state, for `npm pack` and for an install from git. `./run` builds a clone, including the lab.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

if (process.env.npm_command !== "ci") {
  const root = join(import.meta.dirname, "..");
  for (const name of ["src", "web", ".tsbuildinfo", ".built"]) rmSync(join(root, "dist", name), { recursive: true, force: true });
  const run = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  run(join("node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json");
  run(join("node_modules", "vite", "bin", "vite.js"), "build", "web");
}
