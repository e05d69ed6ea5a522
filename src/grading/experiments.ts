import type { Engine } from "../engine/engine.ts";
import type { ExperimentSettings } from "../shared/config/experiments.ts";
import { type Config, configSchema } from "../shared/config.ts";
import { ConfigError, RequestError } from "../shared/errors.ts";
import { keyedHash } from "../text/hash.ts";
import { didYouMean } from "../text/spelling.ts";
import { describeIssues } from "../text/validate.ts";
import type { WireExperiment } from "../wire/reports.ts";
import { reportExperiment } from "./experiment-report.ts";

/** Number of hexadecimal digits of a session's hash that select its variant: 48 bits. */
const DIGITS = 12;

/**
 * Assigns a session to a variant, in the configured shares. The same session always gets the same variant. Assignments of
 * different experiments are independent.
 */
export function assignVariant(secret: string, name: string, { variants }: Pick<ExperimentSettings, "variants">, session: string): string {
  const drawn = Number.parseInt(keyedHash(secret, "assignment", name, session).slice(0, DIGITS), 16) / 16 ** DIGITS;
  let below = 0;
  let last = "";
  for (const [variant, { share }] of Object.entries(variants)) {
    if (share === 0) continue;
    below += share;
    last = variant;
    if (drawn < below) return variant;
  }
  return last;
}

export function experimentsByDomain(config: Config): ReadonlyMap<string, { readonly name: string; readonly settings: ExperimentSettings }> {
  const found = new Map<string, { readonly name: string; readonly settings: ExperimentSettings }>();
  for (const [name, settings] of Object.entries(config.experiments)) {
    const domain = settings.domain ?? config.domain;
    const before = found.get(domain);
    if (before !== undefined) {
      const message = `The experiments "${before.name}" and "${name}" both use the domain "${domain}", but a session can take part in only one experiment at a time. End one of them.`;
      throw new ConfigError("config_invalid", message, { domain });
    }
    found.set(domain, { name, settings });
  }
  return found;
}

export function reportExperiments(engine: Pick<Engine, "config" | "store">): Promise<WireExperiment[]> {
  return Promise.all(Object.keys(engine.config.experiments).map((name) => reportOf(engine, name)));
}

/** @throws RequestError `unknown_experiment` */
export async function reportOf({ config, store }: Pick<Engine, "config" | "store">, name: string): Promise<WireExperiment> {
  const settings = Object.hasOwn(config.experiments, name) ? config.experiments[name] : undefined;
  if (settings === undefined) {
    const names = Object.keys(config.experiments);
    const known = names.length === 0 ? "No experiment is configured." : `Known experiments: ${names.join(", ")}.`;
    throw new RequestError("unknown_experiment", `Unknown experiment "${name}".${didYouMean(name, names)} ${known}`, { name });
  }
  return reportExperiment(name, settings, await store.exposures.sessions(name));
}

/**
 * Applies a variant's settings to the configuration. Objects are merged key by key; other values are replaced.
 * @param where name of experiment and variant, for error messages
 * @throws ConfigError `config_invalid`
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
