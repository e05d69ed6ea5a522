import { once } from "node:events";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Engine } from "../engine/engine.ts";
import { type Config, loadConfig, type Settings } from "../shared/config.ts";
import { messageOf, RequestError, systemCodeOf } from "../shared/errors.ts";
import type { CliProcess, Terminal } from "./terminal.ts";

export interface CliContext {
  readonly terminal: Terminal;
  readonly process: Omit<CliProcess, "stdout" | "stderr">;
  /** Aborts at the first Ctrl-C. A second Ctrl-C ends the process. */
  readonly signal: AbortSignal;
  /** Exit code of the process. @default 0 */
  exitCode: number;
}

/**
 * Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 refused to answer (`ask`) or too few labels
 * (`calibrate`); 4 partly failed, e.g. some files (`ingest`) or questions (`ask --file`); 5 findings (e.g. of `check` or
 * `doctor`); 130 cancelled.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, partly: 4, found: 5, cancelled: 130 } as const;

/** Resolves a path from the command line against the working directory. */
export function pathOf<T extends string | undefined>({ process }: CliContext, given: T): T {
  return (given === undefined ? undefined : resolve(process.cwd(), given)) as T;
}

/** Reads standard input. If it is longer than `most` bytes, reading stops soon after that, so the result is incomplete. */
export async function readInput({ process: { stdin } }: CliContext, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    parts.push(part);
    bytes += part.length;
    if (bytes > most) break;
  }
  return Buffer.concat(parts);
}

/**
 * Reads a file that the user names, or standard input for `-`.
 * @param contents what the file contains, for the error message, e.g. "questions"
 * @throws RequestError with `code`
 */
export async function readText(context: CliContext, file: string, code: string, contents: string): Promise<string> {
  if (file === "-") return (await readInput(context, Number.POSITIVE_INFINITY)).toString("utf8");
  const path = pathOf(context, file);
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const message = `${path} cannot be read (${systemCodeOf(cause) ?? messageOf(cause)}). Give the path of a readable file that contains the ${contents}.`;
    throw new RequestError(code, message, { file }, { cause });
  }
}

/** Loads the configuration: defaults, file, environment, then `overrides`. Later values replace earlier ones. */
export function configOf({ process }: CliContext, command: Command, overrides: Settings = {}, defaults: Settings = {}): Config {
  const { dataDir } = command.optsWithGlobals<{ dataDir?: string }>();
  return loadConfig({ cwd: process.cwd(), env: process.env, overrides: { data_dir: dataDir, ...overrides }, defaults });
}

/** Runs `use` with an engine, then closes it. Loads the code of the engine only here, because help and usage errors do not need it. */
export async function withEngine<T>({ terminal, process }: CliContext, config: Config, use: (engine: Engine) => Promise<T>): Promise<T> {
  const { createEngine } = await import("../engine/engine.ts");
  const engine = await createEngine(config, { ...process.engine, warn: (message) => terminal.error(`warning: ${message}`) });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Returns the login name. The audit log records it if the user gives no other name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
