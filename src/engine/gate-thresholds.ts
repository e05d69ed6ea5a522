import { join } from "node:path";
import {
  type AskedIndex,
  createCalibrationFinder,
  type GateFacts,
  type GateThreshold,
  indexMisfitOf,
  misfitOf,
} from "../evidence/calibration.ts";
import { writersOf } from "../pipeline/compress.ts";
import type { Profile } from "../profiles/profile.ts";
import { sha256Hex } from "../text/hash.ts";
import type { DomainPack } from "./domain.ts";

import type { Opened } from "./open.ts";

/**
 * Selects the answer threshold of a `sufficiency` gate: from a calibration in the data folder or the pack; without a
 * calibration, `answer_from` or the default. A calibration that does not fit gives `unusable`.
 */
export function createGateThresholds({ config, models, local, warn, clock, given }: Opened) {
  const findCalibration = createCalibrationFinder(calibrationFolder(config.data_dir), clock);
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };
  /** Returns what a calibration of the profile's `sufficiency` gate depends on; `null` for profiles with another gate. */
  const facts = (pack: DomainPack, profile: Profile): GateFacts | null => {
    if (profile.gate.type !== "sufficiency") return null;
    const writers = writersOf({ models, profile });
    // A calibration measures the threshold for quotes. Leave out `writeFrom` and `mode`, because they apply only to models.
    const { writeFrom: _, ...gate } = profile.gate;
    const { mode: __, ...write } = profile.write;
    return {
      domain: pack.name,
      profile: profile.name,
      settings: sha256Hex(JSON.stringify([profile.retrieve, gate, write, profile.check])),
      writer: writers === null ? "extractive" : `${writers.small.id}, ${writers.large.id}`,
      weights: local.rankingWeights().id,
    };
  };
  const of = (pack: DomainPack, profile: Profile): GateThreshold => {
    if (given.threshold !== undefined) return given.threshold;
    const shipped = pack.calibration === null ? null : join(pack.folder, pack.calibration);
    const found = profile.gate.type === "sufficiency" ? findCalibration(pack.name, profile.name, shipped) : null;
    const depends = found === null ? null : facts(pack, profile);
    if (depends === null || found === null) {
      const { answer_from: minimum } = config;
      return minimum === undefined ? { type: "shipped" } : { type: "set", minimum };
    }
    const reason = found.type === "found" ? misfitOf(found.calibration, depends) : found.why;
    if (found.type === "found" && reason === null) return { type: "calibrated", calibration: found.calibration };
    const name = found.type === "found" ? found.calibration.name : found.name;
    const unusable = { type: "unusable" as const, name, why: `calibration ${name}: ${reason}` };
    warnOnce(`${unusable.why}. The default threshold is used; run \`sourcebound calibrate\` again, or remove the file.`);
    return unusable;
  };
  return { facts, of };
}
export type GateThresholds = ReturnType<typeof createGateThresholds>;

/** Returns the threshold, or `unusable` if it comes from a calibration that does not fit the index. */
export function fitToIndex(threshold: GateThreshold, index: AskedIndex): GateThreshold {
  if (threshold.type !== "calibrated") return threshold;
  const { name } = threshold.calibration;
  const misfit = indexMisfitOf(threshold.calibration, index);
  return misfit === null ? threshold : { type: "unusable", name, why: `calibration ${name}: ${misfit}` };
}

/** Returns the folder of local calibrations inside the data folder. */
export function calibrationFolder(dataDir: string): string {
  return join(dataDir, "calibration");
}
