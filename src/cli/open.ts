import type { Command } from "commander";
import { type Config, loadProcessConfig } from "../config.ts";
import type { Engine } from "../engine/engine.ts";

/** Configuration of this command line: file, environment, then options. */
export function configOf(command: Command, overrides: Readonly<Record<string, unknown>> = {}): Config {
  const { dataDir } = command.optsWithGlobals<{ dataDir?: string }>();
  return loadProcessConfig({ data_dir: dataDir, ...overrides });
}

/** Opens an engine for the time of `use`. It is loaded only now: help and wrong usage answer without it. */
export async function withEngine<T>(config: Config, use: (engine: Engine) => Promise<T>): Promise<T> {
  const { createEngine } = await import("../engine/engine.ts");
  const engine = await createEngine(config, { warn: (message) => process.stderr.write(`warning: ${message}\n`) });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}
