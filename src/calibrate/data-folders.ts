import { join } from "node:path";

/** Folder of the calibrations that were made here, inside the data folder. */
export function calibrationFolder(dataDir: string): string {
  return join(dataDir, "calibration");
}
