import type { Passage } from "../shared/types.ts";
import { unitAt } from "./units.ts";

/** The last heading at or above the window of a passage that was found; `null` when there is none. */
export function headingOf(passage: Passage): string | null {
  const unit = unitAt(passage, passage.window.start) ?? passage.units[0];
  return (unit?.headingPath ?? passage.headingPath).at(-1) ?? null;
}
