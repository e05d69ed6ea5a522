import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, systemCodeOf } from "../errors.ts";
import { describeIssues } from "../text/validate.ts";
import { type GateCalibration, gateCalibrationSchema } from "./calibration.ts";

/** Milliseconds for which a folder is not looked at again: a calibration that is written beside a running server is used soon after. */
export const LOOK_AGAIN_MS = 2_000;

/** A calibration as it lies on the disk. */
export type FoundCalibration =
  | { readonly type: "found"; readonly calibration: GateCalibration }
  | { readonly type: "unreadable"; readonly name: string; readonly why: string };

export interface CalibrationFilesOptions {
  /** Folder of the calibrations that were made here. */
  readonly folder: string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** Name of a calibration, which sorts by time. */
export function calibrationName({ domain, profile }: { readonly domain: string; readonly profile: string }, date: Date): string {
  return `${domain}.${profile}.${date
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "")}`;
}

/** Finds the newest calibration of a domain and profile, else the one that the domain pack brings; reads each file once. */
export class CalibrationFiles {
  private readonly folder: string;
  private readonly clock: () => number;
  private readonly looked = new Map<string, { readonly at: number; readonly found: FoundCalibration | null }>();
  private readonly read = new Map<string, { readonly state: string; readonly found: FoundCalibration }>();

  constructor({ folder, clock }: CalibrationFilesOptions) {
    this.folder = folder;
    this.clock = clock;
  }

  /** @param shipped file of the domain pack; `null`: it brings none */
  find(domain: string, profile: string, shipped: string | null): FoundCalibration | null {
    const key = `${domain}.${profile}`;
    const known = this.looked.get(key);
    if (known !== undefined && this.clock() - known.at < LOOK_AGAIN_MS) return known.found;
    const found = this.look(`${key}.`, shipped);
    this.looked.set(key, { at: this.clock(), found });
    return found;
  }

  /** A folder that cannot be read holds no calibration that could be used, and no question fails for it. */
  private look(prefix: string, shipped: string | null): FoundCalibration | null {
    try {
      const path = this.newest(prefix) ?? shipped;
      return path === null ? null : this.readOnce(path);
    } catch (error) {
      return { type: "unreadable", name: basename(this.folder), why: `its folder cannot be read: ${messageOf(error)}` };
    }
  }

  private newest(prefix: string): string | null {
    const names = existsSync(this.folder) ? readdirSync(this.folder) : [];
    const name = names
      .filter((one) => one.startsWith(prefix) && one.endsWith(".json"))
      .sort()
      .at(-1);
    return name === undefined ? null : join(this.folder, name);
  }

  private readOnce(path: string): FoundCalibration {
    const state = stateOf(path);
    const known = this.read.get(path);
    if (known !== undefined && known.state === state) return known.found;
    const found = readCalibration(path);
    this.read.set(path, { state, found });
    return found;
  }
}

/** A calibration that cannot be read is no calibration: it is reported, and the shipped threshold holds. */
export function readCalibration(path: string): FoundCalibration {
  const name = basename(path, ".json");
  try {
    const parsed = gateCalibrationSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) return { type: "found", calibration: parsed.data };
    return {
      type: "unreadable",
      name,
      why: `it is not valid: ${describeIssues(parsed.error, gateCalibrationSchema).slice(0, 3).join("; ")}`,
    };
  } catch (error) {
    return { type: "unreadable", name, why: `it cannot be read: ${messageOf(error)}` };
  }
}

function stateOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return systemCodeOf(error) ?? messageOf(error);
  }
}
