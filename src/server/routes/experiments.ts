import type { Engine } from "../../engine/engine.ts";
import { reportExperiments, reportOf } from "../../experiments/experiments.ts";
import { experimentToWire } from "../../wire/experiments.ts";
import type { Handlers } from "../mount.ts";
import { partOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type ExperimentEngine = Pick<Engine, "config" | "store">;

/** Reports of experiments, for administrators. */
export function experimentHandlers(engine: ExperimentEngine): Handlers {
  return {
    experiments: async (context) => context.json({ items: (await reportExperiments(engine)).map(experimentToWire) }),
    experiment: async (context) => context.json(experimentToWire(await reportOf(engine, partOf(context, "name")))),
  };
}
