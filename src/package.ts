import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/**
 * Root folder of the package: the nearest folder above this file with a `package.json`. Works for the sources and for
 * the built program.
 */
export const PACKAGE_ROOT: string = findRoot(import.meta.dirname);

export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"))).version;

function findRoot(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  if (above === folder)
    throw new Error(
      `The installation of Sourcebound is incomplete: there is no package.json above ${import.meta.dirname}. Reinstall Sourcebound.`,
    );
  return findRoot(above);
}
