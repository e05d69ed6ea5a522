import type { Command } from "commander";
import { type Config, loadConfig } from "../config.ts";
import type { Engine } from "../engine/engine.ts";
import type { CliContext } from "./context.ts";

/** Configuration of this command line: defaults, file, environment, then options. */
export function configOf(
  { process }: CliContext,
  command: Command,
  overrides: Readonly<Record<string, unknown>> = {},
  defaults: Readonly<Record<string, unknown>> = {},
): Config {
  const { dataDir } = command.optsWithGlobals<{ dataDir?: string }>();
  return loadConfig({ cwd: process.cwd(), env: process.env, overrides: { data_dir: dataDir, ...overrides }, defaults });
}

/** Opens an engine for the time of `use`. It is loaded only now: help and wrong usage answer without it. */
export async function withEngine<T>({ terminal, process }: CliContext, config: Config, use: (engine: Engine) => Promise<T>): Promise<T> {
  const { createEngine } = await import("../engine/engine.ts");
  const engine = await createEngine(config, { ...process.engine, warn: (message) => terminal.error(`warning: ${message}`) });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}
