import { join } from "node:path";
import { messageOf, StoreError } from "../errors.ts";
import { replaceFile } from "../retrieve/snapshot-keeper.ts";
import { type GateCalibration, gateCalibrationSchema } from "../verify/calibration.ts";

/**
 * Writes a calibration as a whole or not at all.
 * @param out another file than the one that the engine looks for
 * @returns path of the file
 * @throws StoreError `calibration_unwritable`
 */
export async function writeCalibration(calibration: GateCalibration, folder: string, out?: string): Promise<string> {
  const path = out ?? join(folder, `${calibration.name}.json`);
  const text = `${JSON.stringify(gateCalibrationSchema.parse(calibration), null, 2)}\n`;
  try {
    await replaceFile(path, [new TextEncoder().encode(text)], async () => true);
    return path;
  } catch (cause) {
    throw new StoreError(
      "calibration_unwritable",
      `The calibration could not be written to ${path} (${messageOf(cause)}).`,
      { path },
      { cause },
    );
  }
}
