import type { ExperimentSettings } from "../config/experiments.ts";
import type { Config } from "../config.ts";
import type { Engine } from "../engine/engine.ts";
import { ConfigError, RequestError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import { type ExperimentReport, reportExperiment } from "./report.ts";

/** The experiments of a configuration by the domain whose questions take part. */
export function experimentsByDomain(config: Config): ReadonlyMap<string, { readonly name: string; readonly settings: ExperimentSettings }> {
  const found = new Map<string, { readonly name: string; readonly settings: ExperimentSettings }>();
  for (const [name, settings] of Object.entries(config.experiments)) {
    const domain = settings.domain ?? config.domain;
    const before = found.get(domain);
    if (before !== undefined) {
      const message = `The experiments "${before.name}" and "${name}" are both of the domain "${domain}": a session takes part in one at a time. End one of them.`;
      throw new ConfigError("config_invalid", message, { domain });
    }
    found.set(domain, { name, settings });
  }
  return found;
}

/** Reports of all configured experiments. */
export function reportExperiments(engine: Pick<Engine, "config" | "store">): Promise<ExperimentReport[]> {
  return Promise.all(Object.keys(engine.config.experiments).map((name) => reportOf(engine, name)));
}

/** @throws RequestError `unknown_experiment` */
export async function reportOf({ config, store }: Pick<Engine, "config" | "store">, name: string): Promise<ExperimentReport> {
  const settings = Object.hasOwn(config.experiments, name) ? config.experiments[name] : undefined;
  if (settings === undefined) {
    const names = Object.keys(config.experiments);
    const known = names.length === 0 ? "None is configured." : `Known: ${names.join(", ")}.`;
    throw new RequestError("unknown_experiment", `There is no experiment "${name}".${didYouMean(name, names)} ${known}`, { name });
  }
  return reportExperiment(name, settings, await store.exposures.sessions(name));
}
