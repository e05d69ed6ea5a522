import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** Vitest's global setup: builds the program if `src` has changed, for the tests that start it as a process. */
export default function buildProgram(): void {
  const stamp = join(PACKAGE_ROOT, "dist", ".tsbuildinfo-lab");
  const builtAt = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const sources = ["src", "lab", "tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) => join(PACKAGE_ROOT, name));
  if (Math.max(...sources.map(newestIn)) <= builtAt) return;
  execFileSync(process.execPath, [join(PACKAGE_ROOT, "node_modules", "typescript", "bin", "tsc"), "-b", "lab"], {
    cwd: PACKAGE_ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const now = new Date();
  utimesSync(stamp, now, now);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const { mtimeMs, isDirectory } = ((stats) => ({ mtimeMs: stats.mtimeMs, isDirectory: stats.isDirectory() }))(statSync(path));
  return isDirectory ? Math.max(mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name)))) : mtimeMs;
}
