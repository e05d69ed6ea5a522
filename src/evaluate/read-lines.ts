import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { messageOf, RequestError } from "../errors.ts";

/**
 * Rows of every file `PREFIX*.jsonl` of a folder, in the order of their names.
 * @throws RequestError `data_invalid` naming file and line
 */
export function readLines<T>(folder: string, prefix: string, schema: z.ZodType<T>): T[] {
  const names = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl"))
    .sort();
  if (names.length === 0) throw new RequestError("data_invalid", `${folder} holds no file ${prefix}*.jsonl.`);
  return names.flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .flatMap((line, i) => {
        if (line.trim() === "") return [];
        try {
          return [schema.parse(JSON.parse(line))];
        } catch (cause) {
          throw new RequestError("data_invalid", `${join(folder, name)}:${i + 1} is not valid: ${messageOf(cause)}`, {}, { cause });
        }
      }),
  );
}
