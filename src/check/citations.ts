import type { CheckSettings } from "../profiles/profile.ts";
import { type Finding, finding } from "./finding.ts";

/**
 * Do the citations of a sentence exist?
 * @param exact cited quotes that stand in their document today
 * @param missing numbers that it cites and that no quote has; they are stripped
 */
export function checkCitations(exact: number, missing: readonly number[], uncited: CheckSettings["uncited"]): Finding {
  const nowhere = missing.length === 0 ? "" : `names ${missing.map((n) => `[${n}]`).join("")}, which no source has`;
  const share = exact / Math.max(1, exact + missing.length);
  if (exact > 0 && missing.length > 0) return finding("citations", "repaired", share, nowhere);
  if (exact > 0) return finding("citations", "pass", 1, `cites ${exact} quote${exact === 1 ? "" : "s"} that exist`);
  const verdict = uncited === "remove" ? "fail" : uncited === "warn" || missing.length > 0 ? "warn" : "pass";
  return finding("citations", verdict, 0, nowhere === "" ? "cites no source" : nowhere);
}
