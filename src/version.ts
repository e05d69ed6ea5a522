import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "./root.ts";

/** Version of the program, from its package. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"))).version;
