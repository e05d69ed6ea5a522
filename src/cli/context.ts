import { resolve } from "node:path";
import type { CliProcess, Terminal } from "./terminal.ts";

/** What commands share. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly process: Omit<CliProcess, "stdout" | "stderr">;
  /** Aborted by the first Ctrl-C; the second one ends the process. */
  readonly signal: AbortSignal;
  /** Exit code of the process; 0 unless a command sets another. */
  exitCode: number;
}

/** Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 refused (`ask`), or too few labels (`calibrate`), 4 some files failed (`ingest`), 5 something was found (`check`, `doctor`), 130 cancelled. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, partly: 4, found: 5, cancelled: 130 } as const;

/** A path that the user named, absolute. */
export function pathOf<T extends string | undefined>({ process }: CliContext, given: T): T {
  return (given === undefined ? undefined : resolve(process.cwd(), given)) as T;
}
