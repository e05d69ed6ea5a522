import { type Config, configSchema } from "../config.ts";
import { ConfigError } from "../errors.ts";
import { describeIssues } from "../text/validate.ts";

/**
 * The configuration of a variant: everybody's with some keys set otherwise. What is an object is laid over key by key, everything else replaced.
 * @throws ConfigError `config_invalid` naming the experiment and the variant
 */
export function overlayConfig(config: Config, overlay: Readonly<Record<string, unknown>>, where: string): Config {
  const merged = laidOver({ ...config, experiments: {} }, overlay);
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const faults = describeIssues(parsed.error, configSchema);
  throw new ConfigError("config_invalid", `The settings of ${where} are not valid: ${faults.join("; ")}`, { where, faults });
}

function laidOver(base: unknown, over: unknown): unknown {
  if (!isPlain(base) || !isPlain(over)) return over;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = laidOver(result[key], value);
  return result;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
