import type { GateSettings } from "../profiles/profile.ts";
import type { Decision } from "./decide.ts";
import type { Sufficiency } from "./sufficiency.ts";

/**
 * How far what a gate judged by lies above the least with which it answers: below 0 it refuses.
 * @returns `null` where there was nothing to judge, or where the gate asks for nothing
 */
export function headroomOf(
  { confidence }: Pick<Decision, "confidence">,
  gate: GateSettings,
  sufficiency: Sufficiency | null,
): number | null {
  if (confidence === null) return null;
  if (gate.type === "sufficiency" && sufficiency !== null) return sufficiency.probability - sufficiency.minimum;
  const least = leastOf(gate);
  return least === null ? null : confidence - least;
}

function leastOf(gate: GateSettings): number | null {
  switch (gate.type) {
    case "sufficiency":
      return null;
    case "similarity":
      return gate.veryWeak;
    case "guard":
      return gate.aggregate;
    case "v-score":
      return gate.verified;
    case "best-similarity":
      return gate.minimum;
    case "none":
      return null;
    default:
      return gate satisfies never;
  }
}
